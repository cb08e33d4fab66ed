// The last quarter of an hour, in this browser, begun with what the daemon remembers: one row of times and, for each quantity of each GPU, a column as long.
// A value that was not known is null, and a pause without data is a gap in the lines, never a straight stretch.
// SPDX-License-Identifier: Apache-2.0

export const KEPT_S = 900;
const PAUSE_S = 6;
const TRIM_ROWS = 60;

export type Column = (number | null)[];

export class History {
  readonly times: number[] = [];
  private readonly columns = new Map<string, Column>();

  /** A row; a clock that went back begins anew. */
  push(time_s: number, values: Map<string, number | undefined>): void {
    const last = this.times[this.times.length - 1];
    if (last !== undefined && time_s < last) this.clear();
    if (last !== undefined && time_s === last) return;
    if (last !== undefined && time_s - last > PAUSE_S) this.row((last + time_s) / 2, new Map());
    this.row(time_s, values);
    this.trim(time_s);
  }

  /** Puts what was before in front of what this browser has seen. */
  before(times: number[], columns: Map<string, Column>): void {
    const first = this.times[0] ?? Infinity;
    const older = times.findIndex((time) => time >= first);
    const count = older < 0 ? times.length : older;
    for (const key of columns.keys()) {
      if (!this.columns.has(key)) this.columns.set(key, new Array<null>(this.times.length).fill(null));
    }
    this.times.unshift(...times.slice(0, count));
    for (const [key, column] of this.columns) column.unshift(...(columns.get(key) ?? new Array<null>(count).fill(null)).slice(0, count));
  }

  /** As long as `times`; what was never known is all null. */
  column(key: string): Column {
    return this.columns.get(key) ?? new Array<null>(this.times.length).fill(null);
  }

  private row(time_s: number, values: Map<string, number | undefined>): void {
    for (const key of values.keys()) {
      if (!this.columns.has(key)) this.columns.set(key, new Array<null>(this.times.length).fill(null));
    }
    this.times.push(time_s);
    for (const [key, column] of this.columns) column.push(values.get(key) ?? null);
  }

  private trim(time_s: number): void {
    let old = 0;
    while (old < this.times.length && (this.times[old] ?? 0) < time_s - KEPT_S) ++old;
    if (old < TRIM_ROWS) return;
    this.times.splice(0, old);
    for (const [key, column] of this.columns) {
      column.splice(0, old);
      if (column.every((value) => value === null)) this.columns.delete(key);
    }
  }

  private clear(): void {
    this.times.length = 0;
    this.columns.clear();
  }
}

/** What a chart shows: one minute at first, growing to all that is kept. */
export function window_of(times: number[]): [number, number] {
  const end = times[times.length - 1] ?? 0;
  const begin = times[0] ?? end;
  return [end - Math.min(KEPT_S, Math.max(60, end - begin)), end];
}
