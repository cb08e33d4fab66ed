// The live stream, kept alive. By fetch and not EventSource: that cannot send a token, and does not tell why it failed.
// A stream that is open but silent is as bad as none, and is told and opened anew.
// SPDX-License-Identifier: Apache-2.0
import { SseParser } from './sse';

export type Link =
  | { kind: 'connecting' }
  | { kind: 'live' }
  /** Open, but nothing has come for a while. */
  | { kind: 'silent' }
  /** Closed; tried again in a moment. */
  | { kind: 'away'; why: string }
  /** The daemon wants a token, or another one. */
  | { kind: 'denied' };

export const SILENT_AFTER_MS = 5_000;
export const GIVEN_UP_AFTER_MS = 20_000;
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000];

export interface ConnectionOptions {
  url: string;
  token: () => string;
  on_event: (event: string, data: string) => void;
  on_link: (link: Link) => void;
  fetch?: typeof fetch;
  silent_after_ms?: number;
  given_up_after_ms?: number;
  retry_ms?: number[];
}

export class Connection {
  private tries = 0;
  private abort: AbortController | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;

  constructor(private readonly options: ConnectionOptions) {}

  /** Opens the stream, now; one that is open is closed first. */
  open(): void {
    this.stopped = false;
    clearTimeout(this.retry);
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    this.options.on_link({ kind: 'connecting' });
    this.watch(abort);
    this.listen(abort).then(
      () => this.ended(abort, 'the stream was closed'),
      (error: unknown) => this.ended(abort, error instanceof Error ? error.message : String(error)),
    );
  }

  close(): void {
    this.stopped = true;
    clearTimeout(this.retry);
    clearTimeout(this.silence);
    this.abort?.abort();
  }

  private async listen(abort: AbortController): Promise<void> {
    const headers: Record<string, string> = { Accept: 'text/event-stream' };
    if (this.options.token()) headers['Authorization'] = `Bearer ${this.options.token()}`;
    const response = await (this.options.fetch ?? fetch)(this.options.url, {
      headers,
      signal: abort.signal,
      cache: 'no-store',
    });
    if (response.status === 401 || response.status === 403) {
      if (this.abort === abort) this.denied();
      return;
    }
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new SseParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.abort !== abort) return;
      for (const event of parser.feed(value)) this.heard(abort, event.event, event.data);
    }
  }

  private heard(abort: AbortController, event: string, data: string): void {
    this.tries = 0;
    this.watch(abort);
    this.options.on_link({ kind: 'live' });
    this.options.on_event(event, data);
  }

  private watch(abort: AbortController): void {
    clearTimeout(this.silence);
    const silent = this.options.silent_after_ms ?? SILENT_AFTER_MS;
    const given_up = this.options.given_up_after_ms ?? GIVEN_UP_AFTER_MS;
    this.silence = setTimeout(() => {
      this.options.on_link({ kind: 'silent' });
      this.silence = setTimeout(() => abort.abort(), given_up - silent);
    }, silent);
  }

  private denied(): void {
    this.stopped = true;
    clearTimeout(this.silence);
    this.options.on_link({ kind: 'denied' });
  }

  private ended(abort: AbortController, why: string): void {
    if (this.stopped || this.abort !== abort) return;
    clearTimeout(this.silence);
    this.options.on_link({ kind: 'away', why });
    const waits = this.options.retry_ms ?? RETRY_MS;
    const wait = waits[Math.min(this.tries++, waits.length - 1)] ?? 1_000;
    this.retry = setTimeout(() => this.open(), wait);
  }
}
