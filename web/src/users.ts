// Who uses what, over all GPUs.
// SPDX-License-Identifier: Apache-2.0
import { bytes, NONE } from './format';
import { fill_when, h, say, show } from './h';
import { t } from './i18n';
import { owners_of, ranges, type Owner } from './jobs';
import type { Store } from './store';
import type { TextKey } from './texts';

export function owner_name(owner: Owner): string {
  const name = t(`kind_${owner.kind}`, { name: owner.name });
  if (owner.pids.length === 0) return t('owner_idle', { name });
  return owner.kind === 'program' && owner.users[0] ? `${owner.users[0]}: ${name}` : name;
}

const HEADS: TextKey[] = ['users_owner', 'users_user', 'users_gpus', 'users_processes', 'users_memory', 'users_command'];

/** A table whose cells have their column's name, for narrow screens. */
export function plain_table(heads: TextKey[], rows: string[][], numeric: number[]): HTMLElement {
  const attributes = (i: number) => ({ 'data-label': t(heads[i] as TextKey), class: numeric.includes(i) ? 'number' : undefined });
  return h('table', { class: 'plain' },
    h('thead', {}, h('tr', {}, ...heads.map((key, i) => h('th', { scope: 'col', class: numeric.includes(i) ? 'number' : undefined }, t(key))))),
    h('tbody', {}, ...rows.map((row) => h('tr', {}, ...row.map((text, i) => h('td', attributes(i), text))))));
}

export class Users {
  readonly element: HTMLElement;
  private readonly heading = h('h2', { id: 'users-heading' });
  private readonly message = h('p', { class: 'empty' });
  private readonly list = h('div');

  constructor() {
    this.element = h('section', { id: 'users', class: 'panel', 'aria-labelledby': 'users-heading' },
      h('div', { class: 'head' }, this.heading), this.list, this.message);
  }

  update(store: Store): void {
    const gpus = store.node?.gpus ?? [];
    say(this.heading, t('users'));
    show(this.element, gpus.length > 0);
    const owners = owners_of(gpus);
    const unknown = gpus.filter((gpu) => gpu.users === null).map((gpu) => gpu.index);
    say(this.message, unknown.length > 0 ? t('users_unknown', { gpus: `GPU ${ranges(unknown)}` }) : owners.length === 0 ? t('users_none') : '');
    show(this.message, this.message.textContent !== '');
    show(this.list, owners.length > 0);
    const rows = owners.map((owner) => [
      t(`kind_${owner.kind}`, { name: owner.name }),
      owner.users.join(', ') || NONE,
      ranges(owner.gpus),
      String(owner.pids.length),
      owner.pids.length === 0 ? t('users_idle') : bytes(owner.memory_bytes),
      owner.commands.join(', ') || NONE,
    ]);
    fill_when(this.list, [rows, t('users_owner')], () => [plain_table(HEADS, rows, [3, 4])]);
  }
}
