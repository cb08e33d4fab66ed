// Server-sent events out of a stream of text that is cut anywhere.
// Source: HTML Living Standard, "Server-sent events", 9.2.6 (parsing an event stream).
// SPDX-License-Identifier: Apache-2.0

export interface ServerEvent {
  event: string;
  data: string;
  id: string;
}

export class SseParser {
  private rest = '';
  private event = '';
  private data: string[] = [];
  private id = '';

  /** The events that are whole with this piece. */
  feed(text: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') this.flush(events);
      else if (!line.startsWith(':')) this.field(line);
    }
    return events;
  }

  private field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (name === 'event') this.event = value;
    else if (name === 'data') this.data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.id = value;
  }

  private flush(events: ServerEvent[]): void {
    if (this.data.length > 0)
      events.push({ event: this.event || 'message', data: this.data.join('\n'), id: this.id });
    this.event = '';
    this.data = [];
  }
}
