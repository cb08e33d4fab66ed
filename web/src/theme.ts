// Light or dark: the system's wish, until somebody chooses.
// SPDX-License-Identifier: Apache-2.0
import { recall, remember } from './memory';

export type Theme = 'auto' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];

export function chosen_theme(): Theme {
  const kept = recall('theme');
  return kept === 'light' || kept === 'dark' ? kept : 'auto';
}

export function show_theme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'auto') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
}

export function choose_theme(theme: Theme): void {
  remember('theme', theme);
  show_theme(theme);
}

/** Called when the system changes its mind. */
export function on_system_theme(changed: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
}

/** A colour of the style sheet, for canvases. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
