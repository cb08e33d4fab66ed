// One chart: uPlot with our colours, a line of current values above it instead of a legend, and the last minutes always at the right edge.
// SPDX-License-Identifier: Apache-2.0
import uPlot from 'uplot';
import { clock_time, mark_time } from './format';
import { fill_when, h, say } from './h';
import { window_of, type Column } from './history';
import { language, t } from './i18n';
import type { TextKey } from './texts';
import { colour } from './theme';

export interface Line {
  label: string;
  column: Column;
  /** Name of a colour of the style sheet. */
  paint: string;
  width?: number;
  dashed?: boolean;
  /** Not in the line of values. */
  unnamed?: boolean;
  fill?: boolean;
}

export interface ChartData {
  times: number[];
  lines: Line[];
  /** From when to when; without it the last minutes. */
  window?: [number, number] | undefined;
  /** The axis ends here at least. */
  top: number;
}

export interface ChartOptions {
  title: TextKey;
  format: (value: number | undefined) => string;
  height: number;
  /** Marks of the axis are round in this unit (1). */
  base?: number;
  /** Charts of one name show the pointer's time together. */
  sync: string;
  /** What to say above instead of each line's value. */
  note?: () => string | undefined;
}

const AXIS_PX = 62;
const ROUND = [1, 2, 2.5, 5].flatMap((n) => [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((e) => n * 10 ** e)).sort((a, b) => a - b);

export class Chart {
  readonly element: HTMLElement;
  private readonly title = h('h3');
  private readonly values = h('span', { class: 'chart-values' });
  private readonly box = h('div', { class: 'chart-box' });
  private readonly size = new ResizeObserver(() => this.fit());
  private plot: uPlot | undefined;
  private data: ChartData | undefined;
  private shape = '';

  constructor(private readonly options: ChartOptions) {
    this.element = h('figure', { class: 'chart', 'data-chart': options.title },
      h('figcaption', { class: 'chart-head' }, this.title, this.values), this.box);
    this.box.style.height = `${options.height}px`;
    this.size.observe(this.box);
  }

  update(data: ChartData): void {
    this.data = data;
    say(this.title, t(this.options.title));
    const shape = JSON.stringify([data.lines.map((line) => [line.label, line.paint, line.width, line.dashed, line.fill]), language()]);
    if (shape !== this.shape) this.repaint(shape);
    this.plot?.setData([data.times, ...data.lines.map((line) => line.column)] as uPlot.AlignedData);
    this.tell();
  }

  /** After a change of colours. */
  repaint(shape = this.shape): void {
    this.plot?.destroy();
    this.plot = undefined;
    this.shape = shape;
    const width = this.box.clientWidth;
    if (!this.data || width === 0) return;
    this.plot = new uPlot(this.plot_options(width), [this.data.times, ...this.data.lines.map((line) => line.column)] as uPlot.AlignedData, this.box);
  }

  destroy(): void {
    this.size.disconnect();
    this.plot?.destroy();
  }

  private fit(): void {
    const width = this.box.clientWidth;
    if (width === 0) return;
    if (!this.plot) this.repaint();
    else if (this.plot.width !== width) this.plot.setSize({ width, height: this.options.height });
  }

  private plot_options(width: number): uPlot.Options {
    const data = this.data as ChartData;
    const axis = { stroke: colour('quiet'), grid: { stroke: colour('grid'), width: 1 }, ticks: { show: false }, font: colour('chart-font') };
    return {
      width,
      height: this.options.height,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, sync: { key: this.options.sync }, points: { size: 5 }, y: false },
      scales: {
        x: { time: true, range: () => this.data?.window ?? window_of(this.data?.times ?? []) },
        y: { range: (_plot, _low, high) => [0, Math.max(this.data?.top ?? 1, (high ?? 0) * 1.05)] },
      },
      axes: [
        { ...axis, space: 70, size: 30, gap: 8, values: (_plot, marks) => marks.map((mark) => mark_time(mark, (marks[1] ?? mark) - (marks[0] ?? mark))) },
        { ...axis, space: 26, size: AXIS_PX, gap: 4, incrs: ROUND.map((n) => n * (this.options.base ?? 1)), values: (_plot, marks) => marks.map((mark) => this.options.format(mark)) },
      ],
      series: [{}, ...data.lines.map((line) => this.series(line))],
      hooks: { setCursor: [() => this.tell()] },
    };
  }

  private series(line: Line): uPlot.Series {
    return {
      label: line.label,
      stroke: colour(line.paint),
      width: line.width ?? 1.5,
      points: { show: false },
      spanGaps: false,
      ...(line.dashed ? { dash: [4, 4] } : {}),
      ...(line.fill ? { fill: colour(`${line.paint}-fill`) } : {}),
    };
  }

  /** The values at the pointer, else the newest. */
  private tell(): void {
    const data = this.data;
    if (!data) return;
    const pointed = this.plot?.cursor.idx ?? undefined;
    const note = pointed === undefined ? this.options.note?.() : undefined;
    if (note !== undefined) {
      fill_when(this.values, note, () => [h('span', { class: 'quiet' }, note)]);
      return;
    }
    const at = pointed ?? data.times.length - 1;
    const items = data.lines.filter((line) => !line.unnamed).map((line) => [line.label, line.paint, this.options.format(line.column[at] ?? undefined)] as const);
    const time = pointed === undefined ? '' : clock_time(data.times[at] ?? 0, data.window?.[1] ?? data.times[at] ?? 0);
    fill_when(this.values, [items, time], () => [
      ...(time ? [h('span', { class: 'quiet' }, time)] : []),
      ...items.map(([label, paint, value]) => h('span', { class: 'key', 'data-paint': paint }, `${label} `, h('b', {}, value))),
    ]);
  }
}
