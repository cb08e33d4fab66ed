// A line as high as a row: how busy a GPU was in the last minutes.
// SPDX-License-Identifier: Apache-2.0
import { window_of, type Column } from './history';
import { set, svg } from './h';

const WIDTH = 100;
const HEIGHT = 24;

/** An SVG path of a share over time; what is not known is a gap. At most two points a pixel. */
export function spark_path(times: number[], column: Column): string {
  const [begin, end] = window_of(times);
  const step = Math.max(1, Math.floor(times.length / (WIDTH * 2)));
  let path = '';
  let pen = 'M';
  for (let i = times.length - 1 - Math.floor((times.length - 1) / step) * step; i < times.length; i += step) {
    const value = column[i];
    const time = times[i];
    if (value === null || value === undefined || time === undefined || end <= begin) {
      pen = 'M';
      continue;
    }
    const x = ((time - begin) / (end - begin)) * WIDTH;
    const y = 1 + (1 - Math.min(1, Math.max(0, value))) * (HEIGHT - 2);
    path += `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
    pen = 'L';
  }
  return path;
}

export class Spark {
  readonly element: SVGSVGElement;
  private readonly line = svg('path', { class: 'line' });

  constructor() {
    this.element = svg('svg', { class: 'spark', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
    this.element.append(this.line);
  }

  update(times: number[], column: Column): void {
    set(this.line, { d: spark_path(times, column) });
  }
}
