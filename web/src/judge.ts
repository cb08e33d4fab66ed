// What the values of one GPU mean: its state, how near it is to its limits, what holds its clocks, which errors it has.
// Pure; words and colours come later.
// SPDX-License-Identifier: Apache-2.0
import type { Gpu } from './node';
import type { TextKey } from './texts';

export type Level = 'plain' | 'warn' | 'bad';
export type GpuMood = 'up' | 'stale' | 'silent' | 'lost' | 'asleep';

/** The daemon itself calls a GPU that is late "not up"; this is for one that it does not ask any more. */
const STALE_S = 15;
const NEAR_LIMIT_C = 5;

export function mood_of(gpu: Gpu): GpuMood {
  if (gpu.asleep) return 'asleep';
  if (!gpu.up) return gpu.lost ? 'lost' : 'silent';
  return (gpu.age_s ?? 0) > STALE_S ? 'stale' : 'up';
}

/** Degrees to the temperature at which this board slows itself down. */
export function headroom_c(gpu: Gpu): number | undefined {
  const { values } = gpu;
  const told = values['thermal_headroom_celsius'];
  if (told !== undefined) return told;
  const limit = values['temperature_limit_celsius/slowdown'];
  const now = values['temperature_celsius'];
  return limit === undefined || now === undefined ? undefined : limit - now;
}

export function heat_level(gpu: Gpu): Level {
  const left = headroom_c(gpu);
  if (left === undefined || left > NEAR_LIMIT_C) return 'plain';
  return left > 0 ? 'warn' : 'bad';
}

export interface Held {
  text: TextKey;
  level: Level;
}

const HELD: readonly [string, TextKey, Level][] = [
  ['hardware_thermal', 'held_hardware_thermal', 'bad'],
  ['power_brake', 'held_power_brake', 'bad'],
  ['hardware_slowdown', 'held_hardware_slowdown', 'bad'],
  ['software_thermal', 'held_software_thermal', 'warn'],
  ['software_power_cap', 'held_software_power_cap', 'plain'],
  ['sync_boost', 'held_sync_boost', 'plain'],
  ['application_clocks', 'held_application_clocks', 'plain'],
  ['display', 'held_display', 'plain'],
  ['idle', 'held_idle', 'plain'],
];

/** Why the clocks are held, the worst first. */
export function held_by(gpu: Gpu): Held[] {
  return HELD.filter(([key]) => gpu.values[`clock_held/${key}`] === 1).map(([, text, level]) => ({ text, level }));
}

export interface Fault {
  text: TextKey;
  level: Level;
  /** What stands in the text as {n}. */
  n: number;
}

const COUNTED: readonly [string, TextKey, Level][] = [
  ['ecc_errors/uncorrected/volatile', 'fault_ecc_uncorrected', 'bad'],
  ['row_remap_failed', 'fault_remap_failed', 'bad'],
  ['row_remap_pending', 'fault_remap_pending', 'warn'],
  ['retired_pages_pending', 'fault_retire_pending', 'warn'],
  ['ecc_errors/corrected/volatile', 'fault_ecc_corrected', 'plain'],
  ['remapped_rows/uncorrected', 'fault_remapped_uncorrected', 'plain'],
  ['remapped_rows/corrected', 'fault_remapped_corrected', 'plain'],
  ['nvlink_errors/crc_flit', 'fault_nvlink_crc', 'plain'],
  ['nvlink_errors/crc_data', 'fault_nvlink_crc', 'plain'],
  ['nvlink_errors/replay', 'fault_nvlink_replay', 'plain'],
  ['nvlink_errors/recovery', 'fault_nvlink_recovery', 'warn'],
  ['pcie_replays', 'fault_pcie_replays', 'plain'],
];

/** `recovery_action` of NVML: what the driver asks for. */
const ACTIONS: readonly (TextKey | undefined)[] = [
  undefined,
  'action_reset',
  'action_reboot',
  'action_drain_p2p',
  'action_drain_and_reset',
];

/** Errors that have been counted, the worst first; an empty list says that none was, among those which this board counts. */
export function faults_of(gpu: Gpu): Fault[] {
  const faults: Fault[] = gpu.xids.map((xid) => ({ text: 'fault_xid', level: 'bad', n: xid.code }));
  const action = ACTIONS[gpu.values['recovery_action'] ?? 0];
  if (action) faults.push({ text: action, level: 'bad', n: 0 });
  for (const [key, text, level] of COUNTED) {
    const n = gpu.values[key] ?? 0;
    if (n > 0 && !faults.some((fault) => fault.text === text)) faults.push({ text, level, n });
  }
  if (gpu.hangs > 0) faults.push({ text: 'fault_hangs', level: 'warn', n: gpu.hangs });
  const rank: Record<Level, number> = { bad: 0, warn: 1, plain: 2 };
  return faults.sort((a, b) => rank[a.level] - rank[b.level]);
}

/** A share between 0 and 1, or nothing where one of both is not known. */
export function share(part: number | undefined, whole: number | undefined): number | undefined {
  if (part === undefined || whole === undefined || whole <= 0) return undefined;
  return Math.min(1, Math.max(0, part / whole));
}
