// The language that is spoken: the browser's, until somebody chooses.
// SPDX-License-Identifier: Apache-2.0
import { recall, remember } from './memory';
import { TEXTS, type TextKey } from './texts';

export type Language = 'en' | 'zh';

let current: Language = 'en';

export function language(): Language {
  return current;
}

export function choose_language(language: Language): void {
  current = language;
}

export function set_language(language: Language): void {
  choose_language(language);
  remember('language', language);
}

export function first_language(): Language {
  const kept = recall('language');
  if (kept === 'en' || kept === 'zh') return kept;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

/** The sentence, with {name} filled in. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  const text: string = TEXTS[key][current === 'zh' ? 1 : 0];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** What the daemon says in both languages: Chinese where it has that. */
export function spoken<T>(english: T | undefined, chinese: T | undefined): T | undefined {
  return language() === 'zh' ? (chinese ?? english) : english;
}

/** For keys that come with the data: the text, or the key itself where there is none. */
export function t_maybe(key: string): string | undefined {
  return key in TEXTS ? t(key as TextKey) : undefined;
}
