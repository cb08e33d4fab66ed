// One GPU, opened over the page: its charts, what it is, who uses it, and every value that it tells, with its meaning. Esc closes, arrows
// left and right go to its neighbours.
// SPDX-License-Identifier: Apache-2.0
import { Chart, type ChartOptions, type Line } from './chart';
import { by_unit, bytes, celsius, clock_time, count, duration, gib, megahertz, NONE, percent, rate, watts } from './format';
import { fill_when, h, say, set, show } from './h';
import { language, spoken, t, t_maybe } from './i18n';
import { faults_of, held_by, mood_of } from './judge';
import { facts, type Fact } from './machine';
import { gpu_id, type Gpu, type MetricHelp } from './node';
import type { Quantity, Store } from './store';
import type { TextKey } from './texts';
import { plain_table } from './users';
import { Windows } from './windows';

type Drawn = readonly [Quantity, TextKey, string];
interface Limit {
  key: string;
  label: TextKey;
}
interface Plan {
  title: TextKey;
  format: ChartOptions['format'];
  lines: Drawn[];
  limit?: Limit;
  /** Marks of the axis are round in this. */
  base?: number;
  top: (gpu: Gpu) => number;
}

const PLANS: Plan[] = [
  {
    title: 'chart_load', format: percent, top: () => 1,
    lines: [['util', 'line_util', 'line-a'], ['sm', 'line_sm', 'line-b'], ['tensor', 'line_tensor', 'line-c'], ['dram', 'line_dram', 'line-d']],
  },
  {
    title: 'chart_power', format: watts, lines: [['power', 'line_now', 'line-a']],
    limit: { key: 'power_limit_watts/enforced', label: 'line_limit' }, top: (gpu) => (gpu.values['power_limit_watts/enforced'] ?? 100) * 1.05,
  },
  {
    title: 'chart_heat', format: celsius, lines: [['heat', 'line_now', 'line-a'], ['memory_heat', 'line_memory_heat', 'line-b']],
    limit: { key: 'temperature_limit_celsius/slowdown', label: 'line_slowdown' }, top: (gpu) => (gpu.values['temperature_limit_celsius/slowdown'] ?? 90) + 5,
  },
  {
    title: 'chart_clock', format: megahertz, lines: [['sm_clock', 'line_sm', 'line-a'], ['memory_clock', 'line_memory_heat', 'line-b']],
    top: (gpu) => (gpu.values['clock_max_hertz/sm'] ?? 1e9) * 1.05,
  },
  {
    title: 'chart_memory', format: gib, base: 2 ** 30, lines: [['used', 'line_used', 'line-a']], top: (gpu) => gpu.values['memory_bytes/total'] ?? 1,
  },
  { title: 'chart_nvlink', format: rate, lines: [['nvlink_sent', 'sent', 'line-a'], ['nvlink_received', 'received', 'line-b']], top: () => 1e9 },
  { title: 'chart_pcie', format: rate, lines: [['pcie_sent', 'sent', 'line-a'], ['pcie_received', 'received', 'line-b']], top: () => 1e9 },
];

function lines_of(plan: Plan, store: Store, gpu: Gpu): Line[] {
  const { times, column } = store.chart();
  const lines: Line[] = plan.lines
    .map(([quantity, label, paint]) => ({ label: t(label), column: column(gpu, quantity), paint }))
    .filter((line, i) => i === 0 || line.column.some((value) => value !== null));
  const limit = plan.limit && gpu.values[plan.limit.key];
  if (plan.limit && limit !== undefined)
    lines.push({ label: t(plan.limit.label), column: new Array<number>(times.length).fill(limit), paint: 'line-limit', width: 1, dashed: true });
  return lines;
}

const PANELS = ['load', 'memory', 'power', 'heat', 'clocks', 'nvlink', 'pcie', 'errors'];

export class Detail {
  readonly element: HTMLDialogElement;
  private readonly title = h('h2', { id: 'detail-heading' });
  private readonly name = h('span', { class: 'quiet' });
  private readonly simulated = h('span', { class: 'chip simulated' });
  private readonly state = h('p', { class: 'detail-state' });
  private readonly previous = h('button', { type: 'button', class: 'icon' }, '‹');
  private readonly next = h('button', { type: 'button', class: 'icon' }, '›');
  private readonly shut = h('button', { type: 'button', class: 'icon', 'data-close': true, autofocus: true }, '×');
  private readonly identity = h('dl');
  private readonly xids = h('div');
  private readonly users = h('div');
  private readonly values = h('div', { class: 'values' });
  private readonly headings = { identity: h('h3'), users: h('h3'), values: h('h3') };
  private readonly charts = PLANS.map((plan) => new Chart({ title: plan.title, format: plan.format, base: plan.base ?? 1, height: 150, sync: 'detail' }));
  private readonly windows: Windows;
  private shown: string | undefined;
  private store: Store | undefined;

  constructor(private readonly closed: (id: string) => void, chosen: () => void) {
    this.windows = new Windows(chosen);
    this.element = h('dialog', { class: 'detail', 'aria-labelledby': 'detail-heading' },
      h('div', { class: 'head' }, this.title, this.name, this.simulated, h('span', { class: 'gap' }), this.previous, this.next, this.shut),
      this.state,
      this.windows.element,
      h('div', { class: 'chart-grid' }, ...this.charts.map((chart) => chart.element)),
      this.headings.identity, this.identity, this.xids, this.headings.users, this.users, this.headings.values, this.values);
    this.shut.addEventListener('click', () => this.element.close());
    this.previous.addEventListener('click', () => this.step(-1));
    this.next.addEventListener('click', () => this.step(1));
    this.element.addEventListener('click', (event) => event.target === this.element && this.element.close());
    this.element.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowLeft') this.step(-1);
      if (event.key === 'ArrowRight') this.step(1);
    });
    this.element.addEventListener('close', () => {
      const id = this.shown;
      this.shown = undefined;
      if (id !== undefined) this.closed(id);
    });
  }

  open(id: string): void {
    this.shown = id;
    if (!this.element.open) this.element.showModal();
    if (this.store) this.update(this.store);
    this.element.scrollTop = 0;
  }

  update(store: Store): void {
    this.store = store;
    const gpu = store.node?.gpus.find((one) => gpu_id(one) === this.shown);
    if (!gpu || !this.element.open) return;
    say(this.title, t('gpu_title', { n: gpu.index }));
    say(this.name, gpu.name ?? '');
    say(this.simulated, t('simulated'));
    show(this.simulated, store.node?.simulated === true);
    for (const [button, key] of [[this.previous, 'previous'], [this.next, 'next'], [this.shut, 'close']] as const)
      set(button, { 'aria-label': t(key), title: t(key) });
    const alone = (store.node?.gpus.length ?? 0) < 2;
    show(this.previous, !alone);
    show(this.next, !alone);
    this.windows.update(store);
    this.update_state(gpu);
    PLANS.forEach((plan, i) => this.update_chart(this.charts[i] as Chart, plan, store, gpu));
    this.update_identity(store, gpu);
    this.update_users(gpu);
    this.update_values(store.metrics, gpu);
  }

  repaint(): void {
    for (const chart of this.charts) chart.repaint();
  }

  private step(by: number): void {
    const gpus = this.store?.node?.gpus ?? [];
    const at = gpus.findIndex((gpu) => gpu_id(gpu) === this.shown);
    const next = gpus[at + by];
    if (next) this.open(gpu_id(next));
  }

  private update_state(gpu: Gpu): void {
    const mood = mood_of(gpu);
    const parts: (readonly [string, string])[] = [[t(`mood_${mood}`), mood === 'up' || mood === 'asleep' ? 'plain' : 'bad']];
    const why = spoken(gpu.why, gpu.why_zh);
    if (why) parts.push([why, 'bad']);
    if (!gpu.up && gpu.age_s !== undefined) parts.push([t('last_answer', { ago: duration(gpu.age_s) }), 'plain']);
    for (const held of held_by(gpu)) parts.push([t(held.text), held.level]);
    for (const fault of faults_of(gpu)) parts.push([t(fault.text, { n: fault.n }), fault.level]);
    fill_when(this.state, parts, () => parts.map(([text, level]) => h('span', { class: 'chip', 'data-level': level }, text)));
  }

  /** A chart of what this board never tells is not shown. */
  private update_chart(chart: Chart, plan: Plan, store: Store, gpu: Gpu): void {
    const { times, window, column } = store.chart();
    const known = plan.lines.some(([quantity]) => column(gpu, quantity).some((value) => value !== null));
    show(chart.element, known);
    if (known) chart.update({ times, window, lines: lines_of(plan, store, gpu), top: plan.top(gpu) });
  }

  private update_identity(store: Store, gpu: Gpu): void {
    say(this.headings.identity, t('detail_identity'));
    const fact = (key: TextKey, value: string | undefined): Fact | undefined => (value ? [t(key), value] : undefined);
    facts(this.identity, [
      fact('detail_model', gpu.name), fact('detail_uuid', gpu.uuid), fact('detail_pci', gpu.pci), fact('detail_serial', gpu.serial),
      fact('detail_parts', gpu.parts.map((part) => `${part.gpu_instance}: ${part.profile}`).join(', ')),
    ]);
    const now_s = store.node?.time_s ?? 0;
    const rows = gpu.xids.map((xid) => t('detail_xid_row', { code: xid.code, count: count(xid.count), time: clock_time(xid.last_s, now_s) }));
    fill_when(this.xids, [rows, language()], () => rows.length === 0 ? []
      : [h('h3', {}, t('detail_xids')), h('ul', {}, ...rows.map((row) => h('li', {}, row)))]);
  }

  private update_users(gpu: Gpu): void {
    say(this.headings.users, t('detail_users'));
    const heads: TextKey[] = ['users_processes', 'users_command', 'users_user', 'users_memory'];
    const rows = (gpu.users ?? []).map((user) => [String(user.pid), user.command ?? NONE, user.user ?? user.why ?? NONE, bytes(user.memory_bytes)]);
    fill_when(this.users, [gpu.users === null, rows, language()], () => rows.length > 0 ? [plain_table(heads, rows, [3])]
      : [h('p', { class: 'quiet' }, t(gpu.users === null ? 'unknown' : 'none'))]);
  }

  private update_values(metrics: MetricHelp[], gpu: Gpu): void {
    say(this.headings.values, t('detail_values'));
    const rows = metrics.flatMap((metric) => metric.keys.filter((key) => gpu.values[key] !== undefined).map((key) => ({
      panel: metric.panel, key, value: by_unit(gpu.values[key] as number, metric.unit), help: language() === 'zh' ? metric.help_zh : metric.help,
    })));
    show(this.headings.values, rows.length > 0);
    fill_when(this.values, rows, () => PANELS.flatMap((panel) => {
      const mine = rows.filter((row) => row.panel === panel);
      if (mine.length === 0) return [];
      return [h('h4', {}, t_maybe(`panel_${panel}`) ?? panel), h('table', { class: 'plain' }, h('tbody', {},
        ...mine.map((row) => h('tr', {}, h('th', { scope: 'row' }, row.key), h('td', { class: 'number' }, row.value), h('td', { class: 'quiet help' }, row.help)))))];
    }));
  }
}
