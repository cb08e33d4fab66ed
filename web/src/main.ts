// The page: one store, one stream, and the views that show it.
// SPDX-License-Identifier: Apache-2.0
import 'uplot/dist/uPlot.min.css';
import './page.css';
import { Connection } from './connection';
import { Detail } from './detail';
import { h, say } from './h';
import { Header } from './header';
import { choose_language, first_language, language, t } from './i18n';
import { Incidents, is_open } from './incidents';
import { Machine } from './machine';
import { tab_token } from './memory';
import type { MetricHelp, NodeState } from './node';
import { Overview } from './overview';
import { Store } from './store';
import { Summary } from './summary';
import { GpuTable } from './table';
import { chosen_theme, on_system_theme, show_theme } from './theme';
import { TokenForm } from './token';
import { Users } from './users';

show_theme(chosen_theme());
choose_language(first_language());

const store = new Store(ask);
const summary = new Summary();
const incidents = new Incidents();
const overview = new Overview(remember);
const users = new Users();
const machine = new Machine();
const table = new GpuTable({ open: (id) => detail.open(id), point: (id) => overview.point(id) });
const detail = new Detail((id) => table.focus(id), remember);
const header = new Header({ language: speak, theme: repaint, skip: focus_table });
const token = new TokenForm(() => connection.open());
const licences = h('a', { href: '/licences.txt' });
const main = h('main', {}, summary.element, incidents.element, table.element, overview.element, users.element, machine.element);

function focus_table(): void {
  table.element.querySelector<HTMLElement>('tr[tabindex="0"]')?.focus();
}

function speak(): void {
  document.documentElement.lang = language() === 'zh' ? 'zh-CN' : 'en';
  say(licences, t('self_licences'));
  header.relabel();
  table.relabel();
  update();
}

function repaint(): void {
  overview.repaint();
  detail.repaint();
}

function update(): void {
  header.update(store, Date.now());
  token.update(store.link.kind === 'denied');
  main.hidden = store.node === undefined;
  document.body.dataset['stale'] = String(header.banner.hidden === false);
  if (!store.node) return;
  document.title = `${store.node.host} · gpuwright`;
  for (const view of [summary, incidents, table, overview, users, machine, detail]) view.update(store);
}

/** A question to the daemon. Throws where it has no answer. */
async function ask(path: string): Promise<unknown> {
  const headers: Record<string, string> = tab_token() ? { Authorization: `Bearer ${tab_token()}` } : {};
  const answer = await fetch(path, { headers });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

let ended_known = -1;

/** What the daemon remembers: for the charts, and incidents that ended, again when one more has. */
function remember(): void {
  update();
  store.remember().then((fresh) => fresh && update(), () => undefined);
  const node = store.node;
  const ended = node?.incidents?.filter((incident) => !is_open(incident)).length ?? 0;
  if (!node?.history || ended === ended_known) return;
  store.past.refresh_incidents(node.time_s).then(() => { ended_known = ended; }, () => undefined);
}

let asked_ms = 0;

/** The meaning of the values; asked again after a while where it did not come. */
async function ask_metrics(): Promise<void> {
  if (store.metrics.length > 0 || Date.now() - asked_ms < 10_000) return;
  asked_ms = Date.now();
  store.metrics = ((await ask('/api/v1/metrics')) as { metrics: MetricHelp[] }).metrics;
}

const connection = new Connection({
  url: '/api/v1/events',
  token: tab_token,
  on_event: (event, data) => {
    if (event !== 'node') return;
    store.take(JSON.parse(data) as NodeState, Date.now());
    ask_metrics().then(() => detail.update(store), () => undefined);
    remember();
  },
  on_link: (link) => {
    store.link = link;
    header.update(store, Date.now());
    if (link.kind !== 'live') update();
  },
});

document.body.append(header.element, header.banner, token.element, main, h('footer', {}, 'gpuwright ', licences), detail.element);
speak();
on_system_theme(repaint);
// A page that comes back to the front, or a network that does, is not left waiting for the next try.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && store.link.kind === 'away') connection.open();
});
addEventListener('online', () => connection.open());
setInterval(() => store.link.kind !== 'live' && update(), 1000);
connection.open();
