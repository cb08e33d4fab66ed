// How much time the charts show: minutes, hours or days. There only where the daemon keeps a history.
// SPDX-License-Identifier: Apache-2.0
import { h, say, set, show } from './h';
import { t } from './i18n';
import { WINDOWS } from './past';
import type { Store } from './store';

export class Windows {
  readonly element: HTMLElement;
  private readonly buttons = WINDOWS.map((window) => h('button', { type: 'button', 'data-window': window }));
  private store: Store | undefined;

  constructor(chosen: () => void) {
    this.element = h('div', { class: 'windows', role: 'group' }, ...this.buttons);
    this.buttons.forEach((button, i) => button.addEventListener('click', () => {
      if (!this.store) return;
      this.store.window = WINDOWS[i] ?? '15m';
      chosen();
    }));
  }

  update(store: Store): void {
    this.store = store;
    show(this.element, store.node?.history !== undefined);
    set(this.element, { 'aria-label': t('windows') });
    this.buttons.forEach((button, i) => {
      const window = WINDOWS[i] ?? '15m';
      say(button, t(`window_${window}`));
      set(button, { 'aria-pressed': window === store.window ? 'true' : 'false' });
    });
  }
}
