// The whole machine in six numbers.
// SPDX-License-Identifier: Apache-2.0
import { bytes, celsius, clock_time, kilowatts, NONE, percent } from './format';
import { Bar, h, say, set, show } from './h';
import { t } from './i18n';
import { open_incidents, severity_word } from './incidents';
import { headroom_c, heat_level, share, type Level } from './judge';
import type { Gpu, NodeState } from './node';
import type { TextKey } from './texts';
import type { Store } from './store';

class Tile {
  readonly element: HTMLElement;
  private readonly name = h('span', { class: 'tile-name' });
  private readonly value = h('span', { class: 'tile-value' });
  private readonly note = h('span', { class: 'second' });
  private readonly bar: Bar | undefined;

  constructor(private readonly label: TextKey, with_bar: boolean) {
    this.element = h('div', { class: 'tile', 'data-tile': label }, this.name, this.value, this.note);
    if (!with_bar) return;
    this.bar = new Bar();
    this.element.append(this.bar.element);
  }

  update(value: string, note: string, level: Level = 'plain', full?: number): void {
    say(this.name, t(this.label));
    say(this.value, value);
    say(this.note, note);
    set(this.value, { 'data-level': level });
    this.bar?.update(full, level);
  }
}

/** The sum over the GPUs that tell it; undefined where none does. */
export function sum(gpus: Gpu[], key: string): number | undefined {
  let all: number | undefined;
  for (const gpu of gpus) {
    const value = gpu.up ? gpu.values[key] : undefined;
    if (value !== undefined) all = (all ?? 0) + value;
  }
  return all;
}

export function hottest(gpus: Gpu[]): Gpu | undefined {
  let found: Gpu | undefined;
  for (const gpu of gpus) {
    const left = gpu.up ? headroom_c(gpu) : undefined;
    if (left !== undefined && (found === undefined || left < (headroom_c(found) ?? Infinity))) found = gpu;
  }
  return found;
}

export class Summary {
  readonly element: HTMLElement;
  private readonly gpus = new Tile('sum_gpus', false);
  private readonly busy = new Tile('sum_busy', true);
  private readonly memory = new Tile('sum_memory', true);
  private readonly power = new Tile('sum_power', true);
  private readonly heat = new Tile('sum_heat', false);
  private readonly incidents = new Tile('sum_incidents', false);

  constructor() {
    const tiles = [this.gpus, this.busy, this.memory, this.power, this.heat, this.incidents];
    this.element = h('section', { class: 'tiles' }, ...tiles.map((tile) => tile.element));
  }

  update(store: Store): void {
    const node = store.node;
    if (!node) return;
    set(this.element, { 'aria-label': t('summary') });
    this.update_gpus(node);
    this.update_busy(node.gpus);
    const used = sum(node.gpus, 'memory_bytes/used');
    const total = sum(node.gpus, 'memory_bytes/total');
    this.memory.update(bytes(used), total === undefined ? '' : t('of_total', { total: bytes(total) }), 'plain', share(used, total));
    const power = sum(node.gpus, 'power_watts');
    const limit = sum(node.gpus, 'power_limit_watts/enforced');
    this.power.update(kilowatts(power), limit === undefined ? '' : t('of_limit', { limit: kilowatts(limit) }), 'plain', share(power, limit));
    this.update_heat(node.gpus);
    this.update_incidents(node);
  }

  private update_gpus(node: NodeState): void {
    const up = node.gpus.filter((gpu) => gpu.up).length;
    const down = node.gpus.length - up;
    const missing = (node.gpus_on_bus ?? 0) > node.gpus.length;
    const note = down > 0 ? t('sum_gpus_down', { n: down }) : missing ? t('sum_gpus_bus', { n: node.gpus_on_bus ?? 0 }) : up > 0 ? t('sum_gpus_all') : '';
    this.gpus.update(`${up} / ${node.gpus.length}`, note, down > 0 || missing || node.no_driver ? 'bad' : 'plain');
  }

  private update_busy(gpus: Gpu[]): void {
    const known = gpus.filter((gpu) => gpu.up && gpu.values['utilization_ratio'] !== undefined);
    if (known.length === 0) return this.busy.update(NONE, '');
    const mean = (sum(known, 'utilization_ratio') ?? 0) / known.length;
    const idle = known.filter((gpu) => gpu.values['utilization_ratio'] === 0).length;
    this.busy.update(percent(mean), idle > 0 ? t('sum_busy_idle', { n: idle }) : t('sum_busy_none'), 'plain', mean);
  }

  private update_heat(gpus: Gpu[]): void {
    const gpu = hottest(gpus);
    if (!gpu) return this.heat.update(NONE, '');
    const now = celsius(gpu.values['temperature_celsius']);
    const limit = gpu.values['temperature_limit_celsius/slowdown'];
    const note = limit === undefined ? t('sum_heat_short', { n: gpu.index, now }) : t('sum_heat_gpu', { n: gpu.index, now, limit: celsius(limit) });
    this.heat.update(celsius(headroom_c(gpu)), note, heat_level(gpu));
  }

  private update_incidents(node: NodeState): void {
    show(this.incidents.element, node.incidents !== undefined);
    const open = open_incidents(node);
    const looked = node.looked_s ? t('sum_incidents_none', { time: clock_time(node.looked_s, node.time_s) }) : t('not_looked');
    const worst = open[0];
    const serious = open.some((incident) => incident.severity === 'critical' || incident.severity === 'error');
    this.incidents.update(worst || node.looked_s ? String(open.length) : NONE,
      worst ? t('sum_incidents_worst', { severity: severity_word(worst.severity) }) : looked,
      worst ? (serious ? 'bad' : 'warn') : 'plain');
  }
}
