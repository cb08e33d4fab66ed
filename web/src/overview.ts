// All GPUs together over the last minutes: one thin line each, the one that has the focus in colour.
// SPDX-License-Identifier: Apache-2.0
import { Chart, type ChartOptions, type Line } from './chart';
import { celsius, percent, rate, watts } from './format';
import { h, say, show } from './h';
import { t } from './i18n';
import { gpu_id, type Gpu } from './node';
import type { Quantity, Store } from './store';
import { Windows } from './windows';

interface Shown {
  chart: Chart;
  quantity: Quantity;
  top: (gpus: Gpu[]) => number;
}

function highest(gpus: Gpu[], key: string, otherwise: number): number {
  const values = gpus.map((gpu) => gpu.values[key]).filter((value): value is number => value !== undefined);
  return values.length > 0 ? Math.max(...values) : otherwise;
}

export class Overview {
  readonly element: HTMLElement;
  private readonly heading = h('h2', { id: 'charts-heading' });
  private readonly windows: Windows;
  private readonly shown: Shown[];
  private store: Store | undefined;
  private pointed: string | undefined;

  constructor(chosen: () => void) {
    this.windows = new Windows(chosen);
    const make = (quantity: Quantity, title: ChartOptions['title'], format: ChartOptions['format'], top: Shown['top']): Shown => ({
      quantity,
      top,
      chart: new Chart({ title, format, height: 150, sync: 'overview', note: () => this.note(quantity, format) }),
    });
    this.shown = [
      make('util', 'chart_busy', percent, () => 1),
      make('power', 'chart_power', watts, (gpus) => highest(gpus, 'power_limit_watts/enforced', 100)),
      make('heat', 'chart_heat', celsius, (gpus) => highest(gpus, 'temperature_limit_celsius/slowdown', 100)),
      make('traffic', 'chart_traffic', rate, () => 1e9),
    ];
    this.element = h('section', { id: 'charts', class: 'panel', 'aria-labelledby': 'charts-heading' },
      h('div', { class: 'head' }, this.heading, this.windows.element), h('div', { class: 'chart-grid' }, ...this.shown.map((one) => one.chart.element)));
  }

  update(store: Store): void {
    this.store = store;
    const gpus = store.node?.gpus ?? [];
    say(this.heading, t('charts'));
    show(this.element, gpus.length > 0);
    this.windows.update(store);
    const { times, window } = store.chart();
    for (const one of this.shown)
      one.chart.update({ times, window, lines: this.lines(store, gpus, one.quantity), top: one.top(gpus) });
  }

  point(id: string | undefined): void {
    if (this.pointed === id) return;
    this.pointed = id;
    if (this.store) this.update(this.store);
  }

  repaint(): void {
    for (const one of this.shown) one.chart.repaint();
  }

  /** The pointed one last, so that it lies on top. */
  private lines(store: Store, gpus: Gpu[], quantity: Quantity): Line[] {
    const line = (gpu: Gpu, pointed: boolean): Line => ({
      label: t('line_all', { n: gpu.index }),
      column: store.chart().column(gpu, quantity),
      paint: pointed || gpus.length === 1 ? 'line-a' : 'line-many',
      width: pointed ? 2 : 1.25,
      unnamed: gpus.length > 1 && !pointed,
    });
    const pointed = gpus.find((gpu) => gpu_id(gpu) === this.pointed);
    const others = gpus.filter((gpu) => gpu !== pointed).map((gpu) => line(gpu, false));
    return pointed ? [...others, line(pointed, true)] : others;
  }

  /** Lowest and highest of now, where no GPU is pointed at. */
  private note(quantity: Quantity, format: ChartOptions['format']): string | undefined {
    const gpus = this.store?.node?.gpus ?? [];
    if (this.pointed !== undefined || gpus.length < 2) return undefined;
    const values = gpus.map((gpu) => this.store?.now(gpu, quantity)).filter((value): value is number => value !== undefined);
    if (values.length === 0) return '';
    const low = format(Math.min(...values));
    const high = format(Math.max(...values));
    return low === high ? low : t('line_range', { low, high });
  }
}
