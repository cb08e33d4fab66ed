// A daemon with simulated GPUs, and a browser that looks at it and keeps what goes wrong.
// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { chromium } = createRequire(join(process.env.GPUWRIGHT_MODULES, '_'))('playwright-core');

function free_port() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

export class Daemon {
  static async start(scenario, options = [], port = undefined) {
    const one = new Daemon();
    one.folder = mkdtempSync(join(tmpdir(), 'gpuwright-page-'));
    one.port = port ?? (await free_port());
    for (const [name, text] of [['scenario', scenario], ['control', ''], ['kernel-log', '']]) writeFileSync(join(one.folder, name), text);
    one.options = options;
    await one.run();
    return one;
  }

  async run() {
    const env = {
      ...process.env,
      GPUWRIGHT_FAKEGPU: join(this.folder, 'scenario'),
      GPUWRIGHT_FAKEGPU_CONTROL: join(this.folder, 'control'),
      GPUWRIGHT_FAKEGPU_KMSG: join(this.folder, 'kernel-log'),
      GPUWRIGHT_FAKEGPU_START: String(Date.now() / 1000 - 100),
    };
    const listen = `127.0.0.1:${this.port}`;
    if (!this.options.includes('--history')) this.options.push('--no-history');
    this.process = spawn(process.env.GPUWRIGHT_PROGRAM, ['serve', '--listen', listen, '--kernel-log', join(this.folder, 'no-such-log'), ...this.options], { env, stdio: 'ignore' });
    this.url = `http://${listen}/`;
    for (let i = 0; i < 600; ++i) {
      const answer = await fetch(`${this.url}readyz`).catch(() => undefined);
      if (answer?.ok) return;
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error('the daemon is not ready after 30 s');
  }

  /** A line of a scenario, from now on. */
  does(line) {
    appendFileSync(join(this.folder, 'control'), `${line}\n`);
  }

  async kill() {
    const ended = new Promise((done) => this.process.once('exit', done));
    this.process.kill('SIGTERM');
    await ended;
  }

  async stop() {
    if (this.process.exitCode === null) await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const launch = () => chromium.launch({
  executablePath: process.env.GPUWRIGHT_CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'],
});

/** A page that notes each console message of a fault, each fault of a script, and each request to somebody else. */
export async function open(browser, url, { width = 1440, height = 900, scheme = 'light', locale = 'en-GB', quiet = true } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, locale });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const wrong = [];
  if (quiet) page.on('console', (message) => ['error', 'warning'].includes(message.type()) && wrong.push(message.text()));
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) wrong.push(`asks ${request.url()}`);
  });
  await page.goto(url);
  return { page, wrong, close: () => context.close() };
}

export const shot = (page, name, whole = true) =>
  page.screenshot({ path: join(process.env.GPUWRIGHT_SHOTS, `${name}.png`), fullPage: whole });
