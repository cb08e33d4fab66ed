// The top of the page: which machine this is, whether the data is live, the switches; and below it the line that says what is amiss.
// SPDX-License-Identifier: Apache-2.0
import { clock_time, duration } from './format';
import { h, say, set, show } from './h';
import { language, set_language, t, type Language } from './i18n';
import { SCHEMA_VERSION, type Store } from './store';
import { choose_theme, chosen_theme, THEMES, type Theme } from './theme';

function choice<T extends string>(values: readonly T[], chosen: T, picked: (value: T) => void): HTMLSelectElement {
  const select = h('select', {}, ...values.map((value) => h('option', { value, selected: value === chosen }, value)));
  select.addEventListener('change', () => picked(select.value as T));
  return select;
}

export class Header {
  readonly element: HTMLElement;
  readonly banner: HTMLElement;
  /** Read aloud when it changes; how long it has lasted is not. */
  private readonly said = h('span', { role: 'status' });
  private readonly lasted = h('span', { 'aria-hidden': 'true' });
  private readonly skip = h('a', { class: 'skip', href: '#gpus' });
  private readonly host = h('h1');
  private readonly simulated = h('span', { class: 'chip simulated' });
  private readonly driver = h('span', { class: 'quiet driver' });
  private readonly dot = h('span', { class: 'dot', 'aria-hidden': 'true' });
  private readonly link = h('span', { class: 'link' });
  private readonly language: HTMLSelectElement;
  private readonly theme: HTMLSelectElement;

  constructor(changed: { language: () => void; theme: () => void; skip: () => void }) {
    this.language = choice<Language>(['en', 'zh'], language(), (value) => {
      set_language(value);
      changed.language();
    });
    say(this.language.options[0] as Element, 'English');
    say(this.language.options[1] as Element, '中文');
    this.theme = choice<Theme>(THEMES, chosen_theme(), (value) => {
      choose_theme(value);
      changed.theme();
    });
    this.skip.addEventListener('click', (event) => {
      event.preventDefault();
      changed.skip();
    });
    this.element = h('header', {}, this.skip, h('span', { class: 'brand', 'aria-hidden': 'true' }, 'gpuwright'), this.host, this.simulated,
      this.driver, h('span', { class: 'gap' }), h('span', { class: 'live' }, this.dot, this.link), this.language, this.theme);
    this.banner = h('div', { class: 'banner' }, this.said, ' ', this.lasted);
    this.relabel();
  }

  relabel(): void {
    say(this.skip, t('skip'));
    set(this.language, { 'aria-label': t('language') });
    set(this.theme, { 'aria-label': t('theme') });
    THEMES.forEach((theme, i) => say(this.theme.options[i] as Element, t(`theme_${theme}`)));
  }

  update(store: Store, now_ms: number): void {
    const node = store.node;
    const { kind } = store.link;
    say(this.host, node?.host || location.hostname);
    show(this.simulated, node?.simulated === true);
    say(this.simulated, t('simulated'));
    set(this.simulated, { title: t('simulated_why') });
    say(this.driver, node?.driver_version ? t('driver', { version: node.driver_version }) : '');
    set(this.dot, { 'data-link': kind });
    say(this.link, t(`link_${kind}`));
    const text = this.amiss(store, now_ms);
    show(this.banner, text !== '');
    say(this.said, text);
    say(this.lasted, text !== '' && node ? `(${duration((now_ms - store.heard_ms) / 1000)})` : '');
  }

  /** One sentence, or nothing while all is live. */
  private amiss(store: Store, now_ms: number): string {
    const { node, link } = store;
    if (node && node.schema_version !== SCHEMA_VERSION) return t('newer_daemon');
    if (link.kind === 'live' || link.kind === 'denied') return '';
    if (node) {
      const silent_s = (now_ms - store.heard_ms) / 1000;
      if (link.kind === 'connecting' && silent_s < 5) return '';
      return t('no_data_since', { time: clock_time(store.heard_ms / 1000, now_ms / 1000) });
    }
    return link.kind === 'away' ? t('no_data_yet', { why: link.why }) : link.kind === 'silent' ? t('no_data_yet', { why: t('waiting_for_daemon') }) : '';
  }
}
