// The machine's facts, and what watching it costs.
// SPDX-License-Identifier: Apache-2.0
import { by_unit, bytes, clock_time, count, duration, fine_percent, NONE } from './format';
import { fill_when, h, say } from './h';
import { spoken, t } from './i18n';
import type { NodeState } from './node';
import type { Store } from './store';

export type Fact = readonly [string, string];

/** A list of names and values; what does not apply is left out. */
export function facts(list: HTMLElement, rows: (Fact | undefined)[]): void {
  const known = rows.filter((row): row is Fact => row !== undefined);
  fill_when(list, known, () => known.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

function machine_facts(node: NodeState): (Fact | undefined)[] {
  const log = node.kernel_log;
  return [
    [t('machine_host'), node.host || NONE],
    [t('machine_gpus'), t('machine_gpus_value', { up: node.gpus.filter((gpu) => gpu.up).length, all: node.gpus.length })],
    node.gpus_on_bus === undefined || node.simulated ? undefined : [t('machine_bus'), count(node.gpus_on_bus)],
    [t('machine_driver'), node.driver_version ?? spoken(node.no_driver, node.no_driver_zh) ?? t('unknown')],
    [t('machine_time'), clock_time(node.time_s, node.time_s)],
    log ? [t('machine_kernel_log'), log.readable ? t('kernel_read') : t('kernel_not_read', { why: log.why ?? t('unknown') })] : undefined,
    log ? [t('machine_kernel_lines'), `${count(log.lines)} / ${count(log.lost)}`] : undefined,
    log ? [t('machine_kernel_unverified'), count(log.unverified)] : undefined,
  ];
}

function history_fact(history: NodeState['history']): Fact | undefined {
  if (!history) return undefined;
  return [t('self_history'), history.up ? bytes(history.file_bytes) : t('self_history_still', { why: spoken(history.why, history.why_zh) ?? history.condition })];
}

function self_facts(store: Store): (Fact | undefined)[] {
  const self = store.node?.self;
  if (!self) return [];
  return [
    [t('self_cpu'), store.cpu_share === undefined ? NONE : t('self_cpu_value', { percent: fine_percent(store.cpu_share) })],
    [t('self_cpu_total'), self.cpu_s < 90 ? by_unit(self.cpu_s, 'seconds') : duration(self.cpu_s)],
    [t('self_resident'), bytes(self.resident_bytes)],
    self.proportional_bytes === undefined ? undefined : [t('self_proportional'), bytes(self.proportional_bytes)],
    [t('self_scrapes'), count(self.scrapes)],
    history_fact(store.node?.history),
    [t('self_restarts'), count(self.sampler_restarts)],
    [t('self_left'), count(self.left_behind)],
  ];
}

export class Machine {
  readonly element: HTMLElement;
  private readonly machine_title = h('h2', { id: 'machine-heading' });
  private readonly self_title = h('h2', { id: 'self-heading' });
  private readonly machine_list = h('dl');
  private readonly self_list = h('dl');

  constructor() {
    this.element = h('div', { class: 'pair' },
      h('section', { id: 'machine', class: 'panel', 'aria-labelledby': 'machine-heading' },
        h('div', { class: 'head' }, this.machine_title), this.machine_list),
      h('section', { id: 'self', class: 'panel', 'aria-labelledby': 'self-heading' },
        h('div', { class: 'head' }, this.self_title), this.self_list));
  }

  update(store: Store): void {
    if (!store.node) return;
    say(this.machine_title, t('machine'));
    say(this.self_title, t('self'));
    facts(this.machine_list, machine_facts(store.node));
    facts(this.self_list, self_facts(store));
  }
}
