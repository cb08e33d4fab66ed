// Who uses what: the processes of all GPUs, joined by what they belong to: a Slurm job, a pod, a container, a virtual
// machine, a service, else user and program. Who was given a GPU and runs nothing there is an owner too.
// SPDX-License-Identifier: Apache-2.0
import type { Gpu, GpuUser } from './node';

export type OwnerKind = 'slurm' | 'pod' | 'container' | 'machine' | 'unit' | 'program';

export interface Owner {
  key: string;
  kind: OwnerKind;
  /** Job number, namespace/pod, short container id, or the program's name. */
  name: string;
  users: string[];
  commands: string[];
  gpus: number[];
  /** None: it was given the GPUs and runs nothing there. */
  pids: number[];
  /** undefined: at least one process's is not known. */
  memory_bytes: number | undefined;
}

function identity(user: GpuUser): { kind: OwnerKind; name: string } {
  if (user.slurm_job) return { kind: 'slurm', name: user.slurm_job };
  if (user.pod) return { kind: 'pod', name: user.namespace ? `${user.namespace}/${user.pod}` : user.pod };
  if (user.container) {
    const id = user.container.slice(0, 12);
    return { kind: 'container', name: user.runtime ? `${user.runtime}:${id}` : id };
  }
  if (user.machine) return { kind: 'machine', name: user.machine };
  if (user.unit) return { kind: 'unit', name: user.unit };
  return { kind: 'program', name: user.command || `pid ${user.pid}` };
}

function add<T>(list: T[], item: T | undefined): void {
  if (item !== undefined && item !== '' && !list.includes(item)) list.push(item);
}

export function owners_of(gpus: Gpu[]): Owner[] {
  const owners = new Map<string, Owner>();
  for (const gpu of gpus) {
    for (const user of [...(gpu.users ?? []), ...(gpu.given ?? [])]) {
      const { kind, name } = identity(user);
      const key = kind === 'program' ? `${kind}:${name}:${user.user ?? ''}` : `${kind}:${name}`;
      let owner = owners.get(key);
      if (!owner) {
        owner = { key, kind, name, users: [], commands: [], gpus: [], pids: [], memory_bytes: 0 };
        owners.set(key, owner);
      }
      add(owner.users, user.user);
      add(owner.commands, user.command);
      add(owner.gpus, gpu.index);
      if (user.pid <= 0) continue;
      add(owner.pids, user.pid);
      if (user.memory_bytes === undefined) owner.memory_bytes = undefined;
      else if (owner.memory_bytes !== undefined) owner.memory_bytes += user.memory_bytes;
    }
  }
  return [...owners.values()].sort((a, b) => (a.gpus[0] ?? 0) - (b.gpus[0] ?? 0) || a.key.localeCompare(b.key));
}

/** "0-3, 6" */
export function ranges(numbers: number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let j = i;
    while (j + 1 < sorted.length && sorted[j + 1] === (sorted[j] ?? 0) + 1) ++j;
    parts.push(j > i + 1 ? `${sorted[i]}-${sorted[j]}` : sorted.slice(i, j + 1).join(', '));
    i = j + 1;
  }
  return parts.join(', ');
}
