// What the daemon remembers: series over hours and days, and incidents that ended. Asked for when it is needed, and again after a while.
// SPDX-License-Identifier: Apache-2.0
import type { Column } from './history';
import type { Incident } from './node';

export const WINDOWS = ['15m', '6h', '24h', '7d'] as const;
export type Window = (typeof WINDOWS)[number];

/** How long each shows, in how many steps, and how soon it is asked for again. */
const SHAPES: Record<Window, { seconds: number; steps: number; again_s: number }> = {
  '15m': { seconds: 900, steps: 180, again_s: Infinity },
  '6h': { seconds: 21_600, steps: 360, again_s: 60 },
  '24h': { seconds: 86_400, steps: 288, again_s: 300 },
  '7d': { seconds: 604_800, steps: 336, again_s: 900 },
};
const ENDED_S = 7 * 86_400;
const RETRY_S = 15;

export type Point = [number, number] | [number, number, number, number];
export interface SeriesRow {
  metric: string;
  uuid: string;
  step_s: number;
  points: Point[];
}
interface IncidentRow {
  id: string;
  cause: string;
  title: string;
  title_zh?: string;
  severity: string;
  device: string;
  start_s: number;
  end_s?: number;
  ended_by_text?: string;
  ended_by_text_zh?: string;
  evidence: string[];
}

/** Columns over the same times; a step that the daemon keeps coarser fills all that it covers. */
export class Grid {
  readonly times: number[];
  readonly columns = new Map<string, Column>();

  constructor(readonly begin_s: number, readonly end_s: number, steps: number) {
    const step = (end_s - begin_s) / steps;
    this.times = Array.from({ length: steps }, (_, i) => begin_s + (i + 0.5) * step);
  }

  /** Later rows go over earlier ones. */
  add(key: string, row: SeriesRow): void {
    const column = this.columns.get(key) ?? new Array<number | null>(this.times.length).fill(null);
    this.columns.set(key, column);
    const step = (this.end_s - this.begin_s) / this.times.length;
    for (const point of row.points) {
      const from = Math.floor((point[0] - this.begin_s) / step);
      const until = Math.max(from + 1, Math.floor((point[0] + row.step_s - this.begin_s) / step));
      for (let i = Math.max(from, 0); i < Math.min(until, column.length); ++i) column[i] = point.length === 4 ? point[2] : point[1];
    }
  }

  column(key: string): Column {
    return this.columns.get(key) ?? new Array<null>(this.times.length).fill(null);
  }
}

export function incident_of(row: IncidentRow): Incident {
  return {
    id: 0, key: row.id, cause: row.cause, title: row.title || row.cause, severity: row.severity, subject: row.device, start_s: row.start_s, evidence: row.evidence,
    phase: 'ended',
    ...(row.title_zh ? { title_zh: row.title_zh } : {}),
    ...(row.end_s !== undefined ? { end_s: row.end_s } : {}),
    ...(row.ended_by_text ? { ended_by: row.ended_by_text } : {}),
    ...(row.ended_by_text_zh ? { ended_by_zh: row.ended_by_text_zh } : {}),
  };
}

export type Ask = (path: string) => Promise<unknown>;

export class Past {
  incidents: Incident[] = [];
  private readonly grids = new Map<Window, { grid: Grid; asked_s: number }>();
  private readonly asking = new Map<string, number>();

  /** `names`: the series that the charts show, by the key of their columns ("util"). */
  constructor(private readonly ask: Ask, private readonly names: ReadonlyMap<string, string>) {}

  grid(window: Window): Grid | undefined {
    return this.grids.get(window)?.grid;
  }

  /** Whether there is something new: asks where there is nothing yet, or nothing recent. */
  async refresh(window: Window, now_s: number): Promise<boolean> {
    const shape = SHAPES[window];
    const known = this.grids.get(window);
    if ((known && now_s - known.asked_s < shape.again_s) || !this.may_ask(window, now_s)) return false;
    const names = [...this.names.values()].map((name) => `&name=${encodeURIComponent(name)}`).join('');
    const begin = now_s - shape.seconds;
    const answer = await this.ask(`/api/v1/history?what=series&since=${begin.toFixed(0)}&points=${shape.steps}${names}`);
    const grid = new Grid(begin, now_s, shape.steps);
    const keys = new Map([...this.names].map(([key, name]) => [name, key]));
    for (const row of (answer as { rows: SeriesRow[] }).rows) grid.add(`${row.uuid}/${keys.get(row.metric) ?? row.metric}`, row);
    this.grids.set(window, { grid, asked_s: now_s });
    return true;
  }

  async refresh_incidents(now_s: number): Promise<void> {
    if (!this.may_ask('incidents', now_s)) return;
    const answer = await this.ask(`/api/v1/history?what=incidents&since=${(now_s - ENDED_S).toFixed(0)}&limit=200`);
    this.incidents = (answer as { rows: IncidentRow[] }).rows.filter((row) => row.end_s !== undefined).map(incident_of).reverse();
  }

  private may_ask(what: string, now_s: number): boolean {
    if (now_s - (this.asking.get(what) ?? 0) < RETRY_S) return false;
    this.asking.set(what, now_s);
    return true;
  }
}
