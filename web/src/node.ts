// What the daemon says: the JSON of /api/v1/node and of each "node" event, and of /api/v1/metrics.
// SPDX-License-Identifier: Apache-2.0

export interface GpuUser {
  pid: number;
  user?: string;
  command?: string;
  container?: string;
  runtime?: string;
  pod?: string;
  namespace?: string;
  slurm_job?: string;
  partition?: string;
  unit?: string;
  /** A virtual machine. */
  machine?: string;
  /** Why something of this is not known. */
  why?: string;
  mps_server?: boolean;
  memory_bytes?: number;
  gpu_instance?: number;
}

export interface Xid {
  code: number;
  count: number;
  last_s: number;
}

export interface Gpu {
  index: number;
  uuid?: string;
  name?: string;
  pci?: string;
  serial?: string;
  up: boolean;
  lost?: boolean;
  asleep?: boolean;
  /** Why it is not up. */
  why?: string;
  why_zh?: string;
  /** Since its last values; absent where it never answered. */
  age_s?: number;
  hangs: number;
  values: Record<string, number>;
  xids: Xid[];
  parts: { uuid: string; profile: string; gpu_instance: number }[];
  /** null: not known. */
  users: GpuUser[] | null;
  /** Who was given it by Slurm or Kubernetes, running something there or not. */
  given?: GpuUser[];
}

export interface Incident {
  id: number;
  /** The same across restarts of the daemon, and in its history. */
  key?: string;
  cause: string;
  title: string;
  title_zh?: string;
  severity: string;
  phase?: string;
  subject?: string;
  gpu?: number;
  start_s: number;
  last_s?: number;
  end_s?: number;
  ended_by?: string;
  ended_by_zh?: string;
  evidence?: string[];
  now?: string[];
  now_zh?: string[];
  later?: string[];
  later_zh?: string[];
}

export interface NodeState {
  schema_version: number;
  time_s: number;
  host: string;
  simulated: boolean;
  driver_version?: string;
  no_driver?: string;
  no_driver_zh?: string;
  gpus_on_bus?: number;
  gpus: Gpu[];
  looked_s?: number;
  could_not_look?: string;
  could_not_look_zh?: string;
  incidents?: Incident[];
  kernel_log?: { readable: boolean; why?: string; lines: number; lost: number; unverified: number };
  /** Absent where none is kept. */
  history?: { up: boolean; condition: string; why?: string; why_zh?: string; file_bytes: number };
  self?: {
    cpu_s: number;
    resident_bytes: number;
    proportional_bytes?: number;
    scrapes: number;
    sampler_restarts: number;
    left_behind: number;
  };
}

export interface MetricHelp {
  name: string;
  type: string;
  unit?: string;
  scope: string;
  panel: string;
  help: string;
  help_zh: string;
  keys: string[];
}

/** A GPU is known by its UUID; one that never told it, by its number. */
export function gpu_id(gpu: Gpu): string {
  return gpu.uuid || `#${gpu.index}`;
}
