// The GPUs at a glance: one row each, and on a narrow screen one card each. The arrows move among rows, Enter opens one.
// SPDX-License-Identifier: Apache-2.0
import { celsius, duration, gib, megahertz, NONE, percent, rate, watts } from './format';
import { Bar, fill_when, h, say, set, show } from './h';
import { spoken, t } from './i18n';
import { faults_of, headroom_c, heat_level, held_by, mood_of, share, type Level } from './judge';
import { owners_of } from './jobs';
import { gpu_id, type Gpu } from './node';
import { Spark } from './spark';
import type { Store } from './store';
import type { TextKey } from './texts';
import { owner_name } from './users';

/** Two lines and, where the value has a limit, a bar. */
class Cell {
  readonly element: HTMLTableCellElement;
  private readonly first = h('span', { class: 'first' });
  private readonly second = h('span', { class: 'second' });
  private readonly bar: Bar | undefined;

  constructor(
    readonly label: TextKey,
    name: string,
    with_bar: boolean,
  ) {
    this.element = h('td', { role: 'gridcell', class: `cell ${name}` }, this.first, this.second);
    if (!with_bar) return;
    this.bar = new Bar();
    this.element.append(this.bar.element);
  }

  update(first: string, second: string, level: Level = 'plain', full?: number): void {
    say(this.first, first);
    say(this.second, second);
    set(this.first, { 'data-level': level, 'data-none': first === NONE, title: first === NONE ? t('not_reported') : undefined });
    this.bar?.update(full, level);
  }

  relabel(): void {
    set(this.element, { 'data-label': t(this.label) });
  }
}

/** Words with a meaning, side by side. */
function chips(cell: HTMLElement, items: { text: string; level: Level }[], none: string, most = 2): void {
  fill_when(cell, [items, none], () => {
    if (items.length === 0) return [h('span', { class: 'quiet' }, none)];
    const shown = items.slice(0, items.length > most ? most - 1 : most);
    const nodes: Node[] = shown.map((item) => h('span', { class: 'chip', 'data-level': item.level, title: item.text }, item.text));
    if (items.length > shown.length)
      nodes.push(h('span', { class: 'quiet', title: items.map((item) => item.text).join('\n') }, t('more', { n: items.length - shown.length })));
    return nodes;
  });
}

const COLUMNS: readonly [TextKey, string][] = [
  ['col_gpu', 'name'],
  ['col_load', 'load'],
  ['col_trend', 'trend'],
  ['col_sm', 'sm'],
  ['col_memory', 'memory'],
  ['col_power', 'power'],
  ['col_heat', 'heat'],
  ['col_clock', 'clock'],
  ['col_nvlink', 'nvlink'],
  ['col_pcie', 'pcie'],
  ['col_errors', 'errors'],
  ['col_users', 'users'],
];

class Row {
  readonly element: HTMLTableRowElement;
  private readonly mark = h('span', { class: 'mark', 'aria-hidden': 'true' });
  private readonly title = h('span', { class: 'first' });
  private readonly mood = h('span', { class: 'second' });
  private readonly name = h('th', { role: 'rowheader', scope: 'row', class: 'cell name' }, this.mark, this.title, this.mood);
  private readonly load = new Cell('col_load', 'load', true);
  private readonly trend = h('td', { role: 'gridcell', class: 'cell trend' });
  private readonly spark = new Spark();
  private readonly sm = new Cell('col_sm', 'sm', false);
  private readonly memory = new Cell('col_memory', 'memory', true);
  private readonly power = new Cell('col_power', 'power', true);
  private readonly heat = new Cell('col_heat', 'heat', true);
  private readonly clock = new Cell('col_clock', 'clock', false);
  private readonly nvlink = new Cell('col_nvlink', 'nvlink', false);
  private readonly pcie = new Cell('col_pcie', 'pcie', false);
  private readonly errors = h('td', { role: 'gridcell', class: 'cell errors' });
  private readonly users = h('td', { role: 'gridcell', class: 'cell users' });
  private readonly why = h('td', { role: 'gridcell', class: 'cell why', colspan: 9 });
  private readonly values: HTMLElement[];

  constructor(readonly id: string) {
    this.trend.append(this.spark.element);
    this.values = [this.load.element, this.trend, this.sm.element, this.memory.element, this.power.element,
      this.heat.element, this.clock.element, this.nvlink.element, this.pcie.element];
    this.element = h('tr', { role: 'row', tabindex: -1, 'data-gpu': id }, this.name, ...this.values, this.why, this.errors, this.users);
  }

  relabel(): void {
    for (const cell of [this.load, this.sm, this.memory, this.power, this.heat, this.clock, this.nvlink, this.pcie]) cell.relabel();
    set(this.trend, { 'data-label': t('col_trend') });
    set(this.errors, { 'data-label': t('col_errors') });
    set(this.users, { 'data-label': t('col_users') });
  }

  update(store: Store, gpu: Gpu, same_model: boolean): void {
    const mood = mood_of(gpu);
    set(this.element, { 'data-mood': mood });
    say(this.title, `GPU ${gpu.index}`);
    const state = t(`mood_${mood}`);
    say(this.mood, mood === 'up' && !same_model ? short_model(gpu.name) : state);
    set(this.mood, { title: gpu.name });
    for (const cell of this.values) show(cell, gpu.up);
    show(this.why, !gpu.up);
    if (gpu.up) this.update_values(store, gpu);
    else this.update_why(gpu);
    chips(this.errors, faults_of(gpu).map((fault) => ({ text: t(fault.text, { n: fault.n }), level: fault.level })), t('none'));
    this.update_users(gpu);
  }

  private update_values(store: Store, gpu: Gpu): void {
    const v = gpu.values;
    const util = v['utilization_ratio'];
    this.load.update(percent(util), gpu.parts.length > 0 ? t('mig_parts', { n: gpu.parts.length }) : '', 'plain', util);
    this.spark.update(store.history.times, store.column(gpu, util === undefined ? 'sm' : 'util'));
    this.sm.update(percent(v['sm_active_ratio']), percent(v['pipe_active_ratio/tensor']));
    const used = v['memory_bytes/used'];
    const total = v['memory_bytes/total'];
    this.memory.update(gib(used), total === undefined ? '' : t('of_total', { total: gib(total) }), 'plain', share(used, total));
    const limit = v['power_limit_watts/enforced'];
    this.power.update(watts(v['power_watts']), limit === undefined ? '' : t('of_limit', { limit: watts(limit) }), 'plain', share(v['power_watts'], limit));
    this.update_heat(gpu);
    const held = held_by(gpu);
    const worst = held[0];
    const more = held.length > 1 ? ` +${held.length - 1}` : '';
    this.clock.update(megahertz(v['clock_hertz/sm']), worst ? t(worst.text) + more : t('not_held'), worst?.level ?? 'plain');
    set(this.clock.element, { title: held.length > 1 ? held.map((one) => t(one.text)).join(', ') : undefined });
    this.traffic(this.nvlink, store.now(gpu, 'nvlink_sent'), store.now(gpu, 'nvlink_received'));
    this.traffic(this.pcie, store.now(gpu, 'pcie_sent'), store.now(gpu, 'pcie_received'));
  }

  private update_heat(gpu: Gpu): void {
    const now = gpu.values['temperature_celsius'];
    const left = headroom_c(gpu);
    const limit = gpu.values['temperature_limit_celsius/slowdown'] ?? (now !== undefined && left !== undefined ? now + left : undefined);
    this.heat.update(celsius(now), limit === undefined ? '' : t('slows_at', { limit: celsius(limit) }), heat_level(gpu), share(now, limit));
  }

  private traffic(cell: Cell, sent: number | undefined, received: number | undefined): void {
    const known = sent !== undefined || received !== undefined;
    cell.update(known ? `↑ ${rate(sent)}` : NONE, known ? `↓ ${rate(received)}` : '');
  }

  private update_why(gpu: Gpu): void {
    const last = gpu.age_s === undefined ? t('never_answered') : t('last_answer', { ago: duration(gpu.age_s) });
    const why = spoken(gpu.why, gpu.why_zh);
    fill_when(this.why, [why, last], () => [
      h('span', { class: 'first', 'data-level': gpu.asleep ? 'plain' : 'bad' }, why || t('mood_silent')),
      h('span', { class: 'second' }, last),
    ]);
  }

  private update_users(gpu: Gpu): void {
    if (gpu.users === null) return chips(this.users, [], t('unknown'));
    const owners = owners_of([gpu]).map((owner) => ({ text: owner_name(owner), level: 'plain' as const }));
    chips(this.users, owners, gpu.up ? t('free') : NONE, 2);
  }
}

/** "NVIDIA H100 80GB HBM3" without what all have. */
function short_model(name: string | undefined): string {
  return (name ?? '').replace(/^NVIDIA\s+/, '').replace(/[\s-]\d+\s?GB\b.*$/, '');
}

export interface TableEvents {
  open: (id: string) => void;
  /** The row that has the focus or the pointer. */
  point: (id: string | undefined) => void;
}

export class GpuTable {
  readonly element: HTMLElement;
  private readonly heading = h('h2', { id: 'gpus-heading' });
  private readonly model = h('span', { class: 'quiet' });
  private readonly keys = h('span', { class: 'quiet keys' });
  private readonly message = h('p', { class: 'empty' });
  private readonly heads: HTMLElement[];
  private readonly body = h('tbody', { role: 'rowgroup' });
  private readonly table: HTMLTableElement;
  private readonly rows = new Map<string, Row>();
  private current: string | undefined;

  constructor(private readonly events: TableEvents) {
    this.heads = COLUMNS.map(([, name]) => h('th', { role: 'columnheader', scope: 'col', class: `cell ${name}` }));
    this.table = h('table', { role: 'grid', class: 'gpus', 'aria-labelledby': 'gpus-heading' },
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, ...this.heads)), this.body);
    this.element = h('section', { id: 'gpus', class: 'panel', 'aria-labelledby': 'gpus-heading' },
      h('div', { class: 'head' }, this.heading, this.model, this.keys), this.message, this.table);
    this.body.addEventListener('keydown', (event) => this.key(event));
    this.body.addEventListener('click', (event) => this.picked(event.target, (id) => this.events.open(id)));
    this.body.addEventListener('focusin', (event) => this.picked(event.target, (id) => this.choose(id)));
    this.body.addEventListener('mouseover', (event) => this.picked(event.target, (id) => this.events.point(id)));
    this.body.addEventListener('mouseleave', () => this.events.point(this.focused()));
    this.body.addEventListener('focusout', () => this.events.point(undefined));
    this.relabel();
  }

  relabel(): void {
    say(this.heading, t('gpus'));
    say(this.keys, t('gpus_keys'));
    COLUMNS.forEach(([key], i) => say(this.heads[i] as HTMLElement, t(key)));
    for (const row of this.rows.values()) row.relabel();
  }

  update(store: Store): void {
    const node = store.node;
    if (!node) return;
    const models = new Set(node.gpus.map((gpu) => gpu.name));
    say(this.model, models.size === 1 && node.gpus[0]?.name ? `${node.gpus.length} × ${node.gpus[0].name}` : '');
    const none = node.gpus.length === 0;
    show(this.message, none);
    show(this.table, !none);
    set(this.message, { 'data-level': node.no_driver ? 'bad' : 'plain' });
    if (none) say(this.message, node.no_driver ? t('no_driver', { why: spoken(node.no_driver, node.no_driver_zh) ?? '' }) : t('no_gpus'));
    node.gpus.forEach((gpu, at) => this.row(gpu, at).update(store, gpu, models.size === 1));
    this.drop(new Set(node.gpus.map(gpu_id)));
  }

  focus(id: string): void {
    this.rows.get(id)?.element.focus();
  }

  private row(gpu: Gpu, at: number): Row {
    const id = gpu_id(gpu);
    let row = this.rows.get(id);
    if (!row) {
      row = new Row(id);
      row.relabel();
      this.rows.set(id, row);
    }
    if (this.body.children[at] !== row.element) this.body.insertBefore(row.element, this.body.children[at] ?? null);
    if (this.current === undefined) this.choose(id, true);
    return row;
  }

  private drop(known: Set<string>): void {
    for (const [id, row] of this.rows) {
      if (known.has(id)) continue;
      row.element.remove();
      this.rows.delete(id);
      if (this.current === id) this.current = undefined;
    }
  }

  private picked(target: EventTarget | null, then: (id: string) => void): void {
    const row = target instanceof Element ? target.closest<HTMLElement>('tr[data-gpu]') : null;
    const id = row?.dataset['gpu'];
    if (id !== undefined) then(id);
  }

  private focused(): string | undefined {
    const active = document.activeElement;
    return active instanceof HTMLElement ? active.dataset['gpu'] : undefined;
  }

  /** One row at a time is a stop of the Tab key. */
  private choose(id: string, quietly = false): void {
    if (this.current !== undefined) set(this.rows.get(this.current)?.element ?? this.table, { tabindex: -1 });
    this.current = id;
    const row = this.rows.get(id);
    if (row) set(row.element, { tabindex: 0 });
    if (!quietly) this.events.point(id);
  }

  private key(event: KeyboardEvent): void {
    const rows = [...this.body.children] as HTMLElement[];
    const at = rows.findIndex((row) => row.dataset['gpu'] === this.current);
    const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 };
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      if (this.current !== undefined) this.events.open(this.current);
      return;
    }
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    rows[Math.min(rows.length - 1, Math.max(0, next))]?.focus();
  }
}
