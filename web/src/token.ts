// Asks for the token where the daemon wants one.
// SPDX-License-Identifier: Apache-2.0
import { h, say, show } from './h';
import { t } from './i18n';
import { keep_tab_token, tab_token } from './memory';

export class TokenForm {
  readonly element: HTMLElement;
  private readonly title = h('h2');
  private readonly why = h('p', { class: 'quiet' });
  private readonly label = h('span');
  private readonly input = h('input', { type: 'password', autocomplete: 'off', spellcheck: 'false' });
  private readonly button = h('button', { type: 'submit' });
  private readonly wrong = h('p', { class: 'wrong', role: 'alert' });

  constructor(send: () => void) {
    const form = h('form', {}, h('label', {}, this.label, this.input), this.button);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      keep_tab_token(this.input.value.trim());
      send();
    });
    this.element = h('section', { class: 'panel token' }, this.title, this.why, form, this.wrong);
    this.element.hidden = true;
  }

  update(denied: boolean): void {
    const appears = denied && this.element.hidden;
    show(this.element, denied);
    if (!denied) return;
    say(this.title, t('token_title'));
    say(this.why, t('token_why'));
    say(this.label, t('token_label'));
    say(this.button, t('token_send'));
    say(this.wrong, tab_token() ? t('token_wrong') : '');
    if (appears) this.input.focus();
  }
}
