// The newest state and the last minutes, made of what the stream brings. Views read it; it knows no view.
// SPDX-License-Identifier: Apache-2.0
import type { Link } from './connection';
import { History } from './history';
import { mood_of } from './judge';
import { Grid, Past, type Ask, type Window } from './past';
import { gpu_id, type Gpu, type MetricHelp, type NodeState } from './node';
import { RateMeter } from './rates';

export const QUANTITIES = [
  'util', 'sm', 'tensor', 'dram', 'power', 'heat', 'memory_heat', 'used', 'sm_clock', 'memory_clock',
  'nvlink_sent', 'nvlink_received', 'pcie_sent', 'pcie_received', 'traffic',
] as const;
export type Quantity = (typeof QUANTITIES)[number];

const DIRECT: readonly [Quantity, string][] = [
  ['util', 'utilization_ratio'],
  ['sm', 'sm_active_ratio'],
  ['tensor', 'pipe_active_ratio/tensor'],
  ['dram', 'dram_active_ratio'],
  ['power', 'power_watts'],
  ['heat', 'temperature_celsius'],
  ['memory_heat', 'memory_temperature_celsius'],
  ['used', 'memory_bytes/used'],
  ['sm_clock', 'clock_hertz/sm'],
  ['memory_clock', 'clock_hertz/memory'],
];
const COUNTERS: readonly [Quantity, string, string][] = [
  ['nvlink_sent', 'nvlink_bytes/sent', 'nvlink_bytes_per_second/sent'],
  ['nvlink_received', 'nvlink_bytes/received', 'nvlink_bytes_per_second/received'],
  ['pcie_sent', 'pcie_bytes/sent', 'pcie_bytes_per_second/sent'],
  ['pcie_received', 'pcie_bytes/received', 'pcie_bytes_per_second/received'],
];

/** How the history calls what the charts show; a rate of a counter goes by the name of the rate. */
const REMEMBERED = new Map<string, string>([...DIRECT.map(([quantity, key]) => [quantity, key] as const), ...COUNTERS.map(([quantity, , told]) => [quantity, told] as const)]);

export const SCHEMA_VERSION = 1;

export class Store {
  node: NodeState | undefined;
  link: Link = { kind: 'connecting' };
  metrics: MetricHelp[] = [];
  /** When the last state came, by this browser's clock (ms). */
  heard_ms = 0;
  readonly history = new History();
  readonly past: Past;
  /** What the charts show. */
  window: Window = '15m';
  /** Share of a core that the daemon takes. */
  cpu_share: number | undefined;
  private readonly meters = new Map<string, RateMeter>();
  private readonly cpu = new RateMeter();
  private newest = new Map<string, number | undefined>();

  constructor(ask: Ask = () => Promise.reject(new Error('nobody to ask'))) {
    this.past = new Past(ask, REMEMBERED);
  }

  /** Begins the charts with what the daemon remembers, and asks for what they are to show; true: there is something new. */
  async remember(): Promise<boolean> {
    const now_s = this.node?.time_s;
    if (now_s === undefined || !this.node?.history) return false;
    let fresh = false;
    if (await this.past.refresh('15m', now_s)) {
      const grid = this.past.grid('15m') as Grid;
      add_traffic(grid);
      this.history.before(grid.times, grid.columns);
      fresh = true;
    }
    if (this.window !== '15m' && (await this.past.refresh(this.window, now_s))) {
      add_traffic(this.past.grid(this.window) as Grid);
      fresh = true;
    }
    return fresh;
  }

  /** What the charts show of the chosen window; live ones where nothing older has come yet. */
  chart(): { times: number[]; window?: [number, number]; column: (gpu: Gpu, quantity: Quantity) => (number | null)[] } {
    const grid = this.window === '15m' ? undefined : this.past.grid(this.window);
    if (!grid) return { times: this.history.times, column: (gpu, quantity) => this.column(gpu, quantity) };
    return { times: grid.times, window: [grid.begin_s, grid.end_s], column: (gpu, quantity) => grid.column(`${gpu_id(gpu)}/${quantity}`) };
  }

  take(node: NodeState, heard_ms: number): void {
    this.node = node;
    this.heard_ms = heard_ms;
    const row = new Map<string, number | undefined>();
    for (const gpu of node.gpus) {
      const id = gpu_id(gpu);
      const fresh = mood_of(gpu) === 'up';
      for (const [quantity, key] of DIRECT) row.set(`${id}/${quantity}`, fresh ? gpu.values[key] : undefined);
      this.take_counters(node, gpu, id, row);
    }
    this.cpu_share = this.cpu.read(node.self?.cpu_s, node.time_s);
    this.newest = row;
    this.history.push(node.time_s, row);
  }

  /** A value of now, with the rates that are computed here. */
  now(gpu: Gpu, quantity: Quantity): number | undefined {
    return this.newest.get(`${gpu_id(gpu)}/${quantity}`);
  }

  column(gpu: Gpu, quantity: Quantity): (number | null)[] {
    return this.history.column(`${gpu_id(gpu)}/${quantity}`);
  }

  /** From byte counters where the board has them, else as the driver tells the rate. */
  private take_counters(node: NodeState, gpu: Gpu, id: string, row: Map<string, number | undefined>): void {
    const fresh = mood_of(gpu) === 'up';
    let traffic: number | undefined;
    for (const [quantity, counter, told] of COUNTERS) {
      const key = `${id}/${quantity}`;
      const meter = this.meters.get(key) ?? new RateMeter();
      this.meters.set(key, meter);
      const bytes = fresh ? gpu.values[counter] : undefined;
      // The counter's own time: a GPU that is not asked any more has not stopped sending.
      const measured = meter.read(bytes, node.time_s - (gpu.age_s ?? 0));
      const rate = bytes === undefined && fresh ? gpu.values[told] : measured;
      row.set(key, rate);
      if (rate !== undefined) traffic = (traffic ?? 0) + rate;
    }
    row.set(`${id}/traffic`, traffic);
  }
}

/** All that goes over the links of a GPU, where any of it is known. */
function add_traffic(grid: Grid): void {
  const ids = new Set([...grid.columns.keys()].map((key) => key.slice(0, key.lastIndexOf('/'))));
  for (const id of ids) {
    const parts = COUNTERS.map(([quantity]) => grid.column(`${id}/${quantity}`));
    grid.columns.set(`${id}/traffic`, grid.times.map((_, i) => {
      const known = parts.map((part) => part[i]).filter((value): value is number => typeof value === 'number');
      return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : null;
    }));
  }
}
