// What a person has chosen, kept by the browser where it lets us.
// SPDX-License-Identifier: Apache-2.0

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`gpuwright.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`gpuwright.${name}`, value);
  } catch {
    // A browser without storage forgets; that is all.
  }
}

/** The token lives as long as the tab. */
export function tab_token(): string {
  try {
    return sessionStorage.getItem('gpuwright.token') ?? '';
  } catch {
    return '';
  }
}

export function keep_tab_token(token: string): void {
  try {
    sessionStorage.setItem('gpuwright.token', token);
  } catch {
    // Asked again after a reload.
  }
}
