// The modules of the page that need no browser. unit.sh bundles web/src/*.ts for node and gives the folder in GPUWRIGHT_WEB.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const built = process.env.GPUWRIGHT_WEB;
const sources = process.env.GPUWRIGHT_WEB_SOURCES;
const load = (name) => import(join(built, `${name}.mjs`));

const { SseParser } = await load('sse');
const { Connection } = await load('connection');
const { RateMeter, UNMOVED_S } = await load('rates');
const { History, KEPT_S, window_of } = await load('history');
const { Grid, Past } = await load('past');
const { with_earlier } = await load('incidents');
const { mood_of, headroom_c, heat_level, held_by, faults_of, share } = await load('judge');
const { owners_of, ranges } = await load('jobs');
const { Store } = await load('store');
const { spark_path } = await load('spark');
const { TEXTS } = await load('texts');
const format = await load('format');

const gpu = (more = {}) => ({ index: 0, uuid: 'GPU-0', up: true, age_s: 0, hangs: 0, values: {}, xids: [], parts: [], users: [], ...more });
const node = (time_s, gpus) => ({ schema_version: 1, time_s, host: 'n', simulated: false, gpus });

test('events are read however the stream is cut', () => {
  const stream = ': hello\n\nevent: node\ndata: {"a":1}\nid: 7\n\ndata: two\ndata: lines\n\nevent: unfinished\ndata: x\n';
  const whole = [{ event: 'node', data: '{"a":1}', id: '7' }, { event: 'message', data: 'two\nlines', id: '7' }];
  for (const end of ['\n', '\r\n']) {
    const text = stream.replaceAll('\n', end);
    for (let cut = 0; cut <= text.length; ++cut) {
      const parser = new SseParser();
      assert.deepEqual([...parser.feed(text.slice(0, cut)), ...parser.feed(text.slice(cut))], whole, `cut at ${cut}`);
    }
  }
});

test('a rate is taken from change to change, and a counter that began anew has none', () => {
  const meter = new RateMeter();
  const read = [[100, 0], [100, 1], [600, 5], [600, 6], [1100, 10], [1100, 12]].map(([value, at]) => meter.read(value, at));
  assert.deepEqual(read, [undefined, undefined, undefined, undefined, 100, 100]);
  assert.equal(meter.read(1100, 10 + UNMOVED_S), 0);
  assert.equal(meter.read(5, 40), undefined);
  assert.equal(meter.read(undefined, 41), undefined);
});

test('history keeps a quarter of an hour, with gaps where nothing was known', () => {
  const history = new History();
  for (let at = 0; at <= 2000; ++at) history.push(at, new Map([['a', at], ['late', at > 1990 ? 1 : undefined]]));
  assert.ok(history.times[0] >= 2000 - KEPT_S - 61);
  assert.equal(history.times.length, history.column('a').length);
  assert.equal(history.times.length, history.column('never').length);
  assert.equal(history.column('a').at(-1), 2000);
  assert.equal(history.column('late')[0], null);
  history.push(2100, new Map([['a', 1]]));
  assert.deepEqual(history.column('a').slice(-2), [null, 1]);
  assert.deepEqual(window_of(history.times), [2100 - KEPT_S, 2100]);
  history.push(50, new Map([['a', 1]]));
  assert.deepEqual(history.times, [50], 'a clock that went back begins anew');
  assert.deepEqual(window_of(history.times), [-10, 50]);
});

test('what the daemon remembers goes in front of what the browser has seen', () => {
  const history = new History();
  history.push(100, new Map([['a', 1], ['b', 2]]));
  history.before([80, 90, 100, 110], new Map([['a', [8, null, 9, 9]], ['c', [1, 2, 3, 4]]]));
  history.push(101, new Map([['a', 3]]));
  assert.deepEqual(history.times, [80, 90, 100, 101]);
  assert.deepEqual(['a', 'b', 'c'].map((key) => history.column(key)), [[8, null, 1, 3], [null, null, 2, null], [1, 2, null, null]]);
});

test('steps of the daemon fill what they cover, and nothing that it does not know', () => {
  const grid = new Grid(0, 100, 10);
  grid.add('x', { metric: 'm', uuid: 'u', step_s: 30, points: [[0, 1, 2, 3], [60, 5]] });
  assert.deepEqual(grid.column('x'), [2, 2, 2, null, null, null, 5, 5, 5, null]);
  grid.add('x', { metric: 'm', uuid: 'u', step_s: 1, points: [[95, 7], [96, 8], [500, 1], [-50, 1]] });
  assert.equal(grid.column('x')[9], 8);
  assert.deepEqual(grid.column('never').length, 10);
});

test('the past is asked for once, again after a while, and not too often where there is none', async () => {
  const asked = [];
  const row = { metric: 'power_watts', uuid: 'GPU-0', step_s: 10, points: [[90_000, 300]] };
  const past = new Past(async (path) => { asked.push(path); return { rows: [row] }; }, new Map([['power', 'power_watts']]));
  assert.equal(await past.refresh('6h', 100_000), true);
  assert.equal(await past.refresh('6h', 100_030), false);
  assert.equal(await past.refresh('6h', 100_061), true);
  assert.equal(asked.length, 2);
  assert.match(asked[0], /what=series&since=78400&points=360&name=power_watts$/);
  assert.equal(past.grid('6h').column('GPU-0/power').filter((value) => value === 300).length, 1);
  assert.equal(past.grid('7d'), undefined);
  const failing = new Past(async () => { asked.push('failed'); throw new Error('503'); }, new Map());
  await assert.rejects(failing.refresh('6h', 1000));
  assert.equal(await failing.refresh('6h', 1001), false, 'it waits before it asks again');
});

test('charts begin with the past, and show a longer one where that is chosen', async () => {
  const rows = [
    { metric: 'utilization_ratio', uuid: 'GPU-0', step_s: 10, points: [[9_500, 0.25]] },
    { metric: 'nvlink_bytes_per_second/sent', uuid: 'GPU-0', step_s: 10, points: [[9_500, 3e9]] },
    { metric: 'nvlink_bytes_per_second/received', uuid: 'GPU-0', step_s: 10, points: [[9_500, 2e9]] },
  ];
  const store = new Store(async () => ({ rows }));
  const at = (time_s) => ({ ...node(time_s, [gpu({ values: { utilization_ratio: 0.5 } })]), history: { up: true, condition: 'ok', file_bytes: 1 } });
  store.take(at(10_000), 0);
  assert.equal(await store.remember(), true);
  store.take(at(10_001), 0);
  const known = store.column(gpu(), 'util').filter((value) => value !== null);
  assert.deepEqual(known, [0.25, 0.25, 0.5, 0.5]);
  assert.ok(store.column(gpu(), 'traffic').includes(5e9));
  assert.equal(store.chart().window, undefined);
  store.window = '24h';
  assert.equal(await store.remember(), true);
  assert.deepEqual(store.chart().window, [10_001 - 86_400, 10_001]);
  assert.ok(store.chart().column(gpu(), 'util').includes(0.25));
  const without = new Store();
  without.take(node(1, [gpu()]), 0);
  assert.equal(await without.remember(), false, 'no history, no question');
});

test('incidents that ended before the daemon began stand beside those since, each once', () => {
  const ended = { id: 2, key: 'b', cause: 'x', title: 'x', severity: 'error', phase: 'ended', start_s: 1, end_s: 20 };
  const earlier = [{ ...ended, id: 0 }, { ...ended, id: 0, key: 'a', end_s: 10, subject: '0000:3b:00' }];
  const all = with_earlier([ended], earlier, { ...node(30, [gpu({ index: 4, pci: '00000000:3B:00.0' })]), incidents: [ended] });
  assert.deepEqual(all.map((one) => one.key), ['b', 'a']);
  assert.equal(all[1].gpu, 4);
});

test('the trend line breaks where nothing was known', () => {
  assert.equal(spark_path([0, 30, 60], [0, null, 1]).match(/M/g).length, 2);
  assert.equal(spark_path([], []), '');
});

test('a GPU is up, late, silent or lost, and never guessed', () => {
  assert.equal(mood_of(gpu()), 'up');
  assert.equal(mood_of(gpu({ age_s: 60 })), 'stale');
  assert.equal(mood_of(gpu({ up: false })), 'silent');
  assert.equal(mood_of(gpu({ up: false, lost: true })), 'lost');
});

test("heat is judged by the board's own limit", () => {
  const at = (celsius) => gpu({ values: { temperature_celsius: celsius, 'temperature_limit_celsius/slowdown': 89 } });
  assert.deepEqual([80, 85, 89].map((c) => heat_level(at(c))), ['plain', 'warn', 'bad']);
  assert.equal(headroom_c(gpu()), undefined);
  assert.equal(heat_level(gpu()), 'plain');
  assert.equal(headroom_c(gpu({ values: { thermal_headroom_celsius: 3 } })), 3);
});

test('what holds the clocks and which errors there are, the worst first', () => {
  const sick = gpu({
    hangs: 2,
    xids: [{ code: 94, count: 1, last_s: 1 }],
    values: { 'clock_held/idle': 1, 'clock_held/hardware_thermal': 1, 'clock_held/display': 0, row_remap_pending: 1, 'ecc_errors/corrected/volatile': 4, recovery_action: 1 },
  });
  assert.deepEqual(held_by(sick).map((held) => held.text), ['held_hardware_thermal', 'held_idle']);
  assert.deepEqual(faults_of(sick).map((fault) => fault.level), ['bad', 'bad', 'warn', 'warn', 'plain']);
  assert.deepEqual(faults_of(gpu({ values: { recovery_action: 99 } })), []);
});

test('processes are joined by what they belong to', () => {
  const gpus = [
    gpu({ users: [{ pid: 1, slurm_job: '77', user: 'ann', command: 'python3', memory_bytes: 10 }] }),
    gpu({ index: 1, users: [{ pid: 2, slurm_job: '77', user: 'ann', command: 'python3', memory_bytes: 20 }, { pid: 3, pod: 'web', namespace: 'prod' }] }),
    gpu({ index: 2, users: null }),
  ];
  const [job, pod] = owners_of(gpus);
  assert.deepEqual([job.kind, job.name, job.users, job.gpus, job.pids, job.memory_bytes], ['slurm', '77', ['ann'], [0, 1], [1, 2], 30]);
  assert.deepEqual([pod.name, pod.memory_bytes], ['prod/web', undefined]);
  const [idle] = owners_of([gpu({ given: [{ pid: 0, slurm_job: '78', user: 'bob' }] })]);
  assert.deepEqual([idle.name, idle.pids, idle.gpus], ['78', [], [0]]);
  assert.equal(ranges([6, 0, 1, 2, 3]), '0-3, 6');
  assert.equal(ranges([4, 5]), '4, 5');
});

test('what is not known is no number', () => {
  for (const print of [format.percent, format.watts, format.celsius, format.megahertz, format.bytes, format.gib, format.rate, format.count])
    assert.equal(print(undefined), format.NONE);
  assert.equal(share(undefined, 5), undefined);
  assert.equal(share(1, 0), undefined);
  assert.equal(share(9, 5), 1);
  const store = new Store();
  store.take(node(1, [gpu({ up: false, values: { power_watts: 400 } })]), 0);
  assert.equal(store.now(gpu(), 'power'), undefined);
  assert.deepEqual(store.column(gpu(), 'power'), [null]);
});

test('traffic comes from byte counters, and stays while a GPU is not asked', () => {
  const store = new Store();
  for (let at = 0; at <= 20; ++at) store.take(node(at, [gpu({ values: { 'pcie_bytes/sent': Math.floor(at / 5) * 5e9 } })]), 0);
  assert.equal(store.now(gpu(), 'pcie_sent'), 1e9);
  assert.equal(store.now(gpu(), 'nvlink_sent'), undefined);
  store.take(node(34, [gpu({ age_s: 14, values: { 'pcie_bytes/sent': 20e9 } })]), 0);
  assert.equal(store.now(gpu(), 'pcie_sent'), 1e9);
  store.take(node(60, [gpu({ age_s: 40, values: { 'pcie_bytes/sent': 20e9 } })]), 0);
  assert.equal(store.now(gpu(), 'pcie_sent'), undefined);
});

test('every sentence is there in both languages, with the same fields, and is used', () => {
  const code = readdirSync(sources).filter((name) => name.endsWith('.ts') && name !== 'texts.ts')
    .map((name) => readFileSync(join(sources, name), 'utf8')).join('\n');
  const made = /^(kind|severity|panel|mood|link|theme|window)_/; // of a prefix and what the data says
  const fields = (text) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [key, [english, chinese]] of Object.entries(TEXTS)) {
    assert.ok(english.trim() && chinese.trim(), key);
    assert.deepEqual(fields(english), fields(chinese), key);
    assert.ok(!/[\u4e00-\u9fff]/.test(english), key);
    assert.ok(made.test(key) || code.includes(`'${key}'`), `${key} is used nowhere`);
  }
  for (const [, key] of code.matchAll(/\bt\('(\w+)'/g)) assert.ok(key in TEXTS, key);
  const proper = /^(GPU|SM|DRAM|NVLink|PCIe|Xid|UUID|\+|\{\w+\}|\s|\d)*$/; // names that both languages write alike
  for (const [key, [english, chinese]] of Object.entries(TEXTS)) assert.ok(english !== chinese || proper.test(english), `${key} is not translated`);
});

/** A stream that the test writes to. */
function feed() {
  let to;
  const body = new ReadableStream({ start: (controller) => { to = controller; } });
  return { body, send: (text) => to.enqueue(new TextEncoder().encode(text)), end: () => to.close() };
}
const until = async (true_now) => {
  for (let i = 0; i < 1000 && !true_now(); ++i) await new Promise((done) => setTimeout(done, 10));
  assert.ok(true_now());
};

test('a stream that ends or falls silent is told, and opened again', async () => {
  const feeds = [];
  const kinds = [];
  const heard = [];
  const connection = new Connection({
    url: 'http://127.0.0.1/', token: () => 'secret', silent_after_ms: 60, given_up_after_ms: 120, retry_ms: [5],
    on_event: (event, data) => heard.push(`${event}:${data}`),
    on_link: (link) => kinds.push(link.kind),
    fetch: async (_url, { headers, signal }) => {
      assert.equal(headers.Authorization, 'Bearer secret');
      const one = feed();
      signal.addEventListener('abort', () => { try { one.end(); } catch { /* ended */ } });
      feeds.push(one);
      return new Response(one.body);
    },
  });
  connection.open();
  await until(() => feeds.length === 1);
  feeds[0].send('event: node\ndata: 1\n\n');
  await until(() => heard.length === 1);
  feeds[0].end();
  await until(() => feeds.length >= 2);
  assert.ok(kinds.includes('live') && kinds.includes('away'));
  kinds.length = 0;
  const opened = feeds.length;
  await until(() => feeds.length > opened && kinds.includes('silent'));
  connection.close();
  assert.deepEqual(heard, ['node:1']);
});

test('where a token is wanted nobody knocks again and again', async () => {
  let asked = 0;
  const kinds = [];
  const connection = new Connection({
    url: 'http://127.0.0.1/', token: () => '', retry_ms: [1], on_event: () => {}, on_link: (link) => kinds.push(link.kind),
    fetch: async () => { ++asked; return new Response('', { status: 401 }); },
  });
  connection.open();
  await until(() => kinds.includes('denied'));
  await new Promise((done) => setTimeout(done, 50));
  assert.equal(asked, 1);
  connection.close();
});
