// What is wrong: each incident with its evidence and what to do, open ones first. Shown only where the daemon tells incidents.
// SPDX-License-Identifier: Apache-2.0
import { clock_time, duration } from './format';
import { fill, fill_when, h, say, set, show } from './h';
import { language, spoken, t, t_maybe } from './i18n';
import type { Incident, NodeState } from './node';
import type { Store } from './store';

export function is_open(incident: Incident): boolean {
  return incident.end_s === undefined && incident.phase !== 'ended';
}

export function open_incidents(node: NodeState): Incident[] {
  return (node.incidents ?? []).filter(is_open);
}

export function severity_word(severity: string): string {
  return t_maybe(`severity_${severity}`) ?? severity;
}

function subject_of(incident: Incident): string {
  if (incident.gpu !== undefined) return `GPU ${incident.gpu}`;
  return incident.subject || t('incident_machine');
}

export function key_of(incident: Incident): string {
  return incident.key ?? String(incident.id);
}

/** Those that ended since the daemon began, and those before, each once; the newest first. */
export function with_earlier(ended: Incident[], earlier: Incident[], node: NodeState): Incident[] {
  const known = new Set([...(node.incidents ?? [])].map(key_of));
  const gpu_of = (incident: Incident): Incident => {
    const gpu = node.gpus.find((one) => incident.subject && one.pci?.toLowerCase().includes(incident.subject));
    return gpu ? { ...incident, gpu: gpu.index } : incident;
  };
  const before = earlier.filter((incident) => !known.has(key_of(incident))).map(gpu_of);
  return [...ended, ...before].sort((a, b) => (b.end_s ?? 0) - (a.end_s ?? 0));
}

function title_of(incident: Incident): string {
  return spoken(incident.title, incident.title_zh) ?? incident.cause;
}

function steps(title: string, lines: string[] | undefined, tag: 'ol' | 'ul'): Node[] {
  if (!lines || lines.length === 0) return [];
  return [h('h4', {}, title), h(tag, {}, ...lines.map((line) => h('li', {}, line)))];
}

class Card {
  readonly element: HTMLDetailsElement;
  private readonly severity = h('span', { class: 'severity' });
  private readonly title = h('span', { class: 'title' });
  private readonly subject = h('span', { class: 'subject' });
  private readonly since = h('span', { class: 'since' });
  private readonly body = h('div', { class: 'body' });

  constructor(id: string) {
    this.element = h('details', { class: 'incident', 'data-incident': id },
      h('summary', {}, this.severity, this.title, this.subject, this.since), this.body);
  }

  update(incident: Incident, now_s: number): void {
    const open = is_open(incident);
    set(this.element, { 'data-severity': incident.severity, 'data-open': open });
    say(this.severity, severity_word(incident.severity));
    say(this.title, title_of(incident));
    say(this.subject, subject_of(incident));
    const time = clock_time(incident.start_s, now_s);
    const long = duration((open ? now_s : (incident.end_s ?? now_s)) - incident.start_s);
    const fading = incident.phase === 'fading' ? `, ${t('incident_fading')}` : '';
    say(this.since, open ? t('incident_since', { time, ago: long }) + fading : t('incident_was', { time, long }));
    this.update_body(incident);
  }

  private update_body(incident: Incident): void {
    const now = spoken(incident.now, incident.now_zh);
    const later = spoken(incident.later, incident.later_zh);
    const ending = spoken(incident.ended_by, incident.ended_by_zh);
    fill_when(this.body, [incident.evidence, now, later, ending, language()], () => [
      ...(ending ? [h('p', {}, t('incident_ended_by', { why: ending }))] : []),
      ...steps(t('incident_now'), now, 'ol'),
      ...(incident.evidence?.length
        ? [h('h4', {}, t('incident_evidence')), h('pre', { tabindex: 0 }, incident.evidence.join('\n'))]
        : []),
      ...steps(t('incident_later'), later, 'ul'),
      h('p', { class: 'quiet' }, h('code', {}, `gpuwright explain ${incident.cause}`)),
    ]);
  }
}

export class Incidents {
  readonly element: HTMLElement;
  private readonly heading = h('h2', { id: 'incidents-heading' });
  private readonly looked = h('span', { class: 'quiet' });
  private readonly none = h('p', { class: 'empty' });
  private readonly list = h('div', { class: 'incidents' });
  private readonly ended_title = h('summary');
  private readonly ended_list = h('div', { class: 'incidents' });
  private readonly ended = h('details', { class: 'ended' }, this.ended_title, this.ended_list);
  /** Read aloud: each new incident, once. */
  private readonly aloud = h('div', { class: 'hidden-text', role: 'status' });
  private spoken_in = language();
  private readonly cards = new Map<string, Card>();

  constructor() {
    this.element = h('section', { id: 'incidents', class: 'panel', 'aria-labelledby': 'incidents-heading' },
      h('div', { class: 'head' }, this.heading, this.looked), this.aloud, this.none, this.list, this.ended);
  }

  update(store: Store): void {
    const node = store.node;
    const incidents = node?.incidents;
    show(this.element, incidents !== undefined);
    if (!node || !incidents) return;
    say(this.heading, t('incidents'));
    say(this.looked, node.could_not_look ? t('incidents_blind', { why: spoken(node.could_not_look, node.could_not_look_zh) ?? '' })
      : node.looked_s ? t('incidents_looked', { time: clock_time(node.looked_s, node.time_s) }) : t('not_looked'));
    const open = incidents.filter(is_open);
    const ended = with_earlier(incidents.filter((incident) => !is_open(incident)), store.past.incidents, node);
    show(this.none, open.length === 0 && node.looked_s !== undefined);
    say(this.none, t('incidents_none'));
    if (this.spoken_in !== language()) say(this.aloud, '');
    this.spoken_in = language();
    const fresh = open.find((incident) => !this.cards.has(key_of(incident)));
    if (fresh) say(this.aloud, t('incident_new', { severity: severity_word(fresh.severity), title: title_of(fresh), subject: subject_of(fresh) }));
    fill(this.list, open.map((incident) => this.card(incident, node.time_s)));
    show(this.ended, ended.length > 0);
    say(this.ended_title, t('incidents_ended', { n: ended.length }));
    fill(this.ended_list, ended.map((incident) => this.card(incident, node.time_s)));
    this.forget([...open, ...ended]);
  }

  private card(incident: Incident, now_s: number): HTMLElement {
    const key = key_of(incident);
    let card = this.cards.get(key);
    if (!card) {
      card = new Card(key);
      this.cards.set(key, card);
    }
    card.update(incident, now_s);
    return card.element;
  }

  private forget(known: Incident[]): void {
    const keys = new Set(known.map(key_of));
    for (const key of this.cards.keys()) if (!keys.has(key)) this.cards.delete(key);
  }
}
