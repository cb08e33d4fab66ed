// What a person does with the page, in a real browser.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';

import { Daemon, launch, open, shot } from './served.mjs';

const BUSY = `boards 8 h100-sxm
load 60
gpu 1 load 92
gpu 2 load 0
gpu 5 temperature 86
gpu 6 ecc corrected dram 12
process 0 1 python3 40GiB
`;
const row = (page, n) => page.locator('table.gpus tbody tr').nth(n);
const wait_for_text = (locator, text) => locator.filter({ hasText: text }).first().waitFor();

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

/** A checksum of what the canvas of this chart shows. */
const painted = (page, chart) => page.locator(`#charts [data-chart="${chart}"] canvas`).evaluate((canvas) => canvas.toDataURL());

test('eight GPUs: live, charts move, nothing jumps, a GPU is lost and comes back', async () => {
  const daemon = await Daemon.start(BUSY, ['--whole-period', '1s', '--look-period', '10s']);
  const { page, wrong, close } = await open(browser, daemon.url);
  try {
    await wait_for_text(page.locator('.link'), 'live');
    assert.equal(await page.locator('table.gpus tbody tr').count(), 8);
    await page.getByText('simulated', { exact: true }).first().waitFor();
    await wait_for_text(row(page, 1).locator('td.load'), '92');
    await wait_for_text(row(page, 0).locator('td.nvlink'), 'GB/s');
    await wait_for_text(row(page, 5).locator('td.heat'), '89');
    assert.equal(await row(page, 5).locator('td.heat [data-level="warn"]').count() > 0, true, 'three degrees below its limit');
    await wait_for_text(row(page, 6).locator('td.errors'), '12 ECC corrected');

    const first = await painted(page, 'chart_power');
    const places = () => page.locator('table.gpus tbody tr').evaluateAll((rows) => rows.map((one) => one.getBoundingClientRect().top + scrollY - rows[0].getBoundingClientRect().top - scrollY));
    const before_change = await places();
    daemon.does('load 15');
    await wait_for_text(row(page, 0).locator('td.load'), '15');
    assert.notEqual(await painted(page, 'chart_power'), first, 'the chart moved');

    daemon.does('gpu 3 lost');
    await wait_for_text(row(page, 3).locator('.why'), 'lost');
    await wait_for_text(row(page, 3).locator('.name'), 'lost');
    assert.deepEqual(await places(), before_change, 'the rows stay where they were');
    await wait_for_text(page.locator('[data-tile="sum_gpus"]'), '7 / 8');
    const incident = page.locator('.incident[data-severity="critical"]').first();
    await wait_for_text(incident, 'GPU 3');
    await incident.locator('summary').click();
    await wait_for_text(incident, 'What to do now');
    await wait_for_text(incident.locator('pre'), /\S/);
    await page.waitForTimeout(6000);
    await shot(page, 'eight-light');

    daemon.does('gpu 3 reset');
    await wait_for_text(row(page, 3).locator('.name'), 'up');
    await page.locator('.incident[data-severity="critical"]:not([data-open])').first().waitFor({ state: 'attached' });
    assert.deepEqual(wrong, []);
  } finally {
    await close();
    await daemon.stop();
  }
});

test('by keyboard alone, with a focus that can be seen', async () => {
  const daemon = await Daemon.start('boards 4 h100-sxm\nload 60\n', ['--whole-period', '1s']);
  const { page, wrong, close } = await open(browser, daemon.url);
  try {
    await row(page, 3).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.closest('tr')?.dataset.gpu ?? document.activeElement?.tagName);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter'); // the skip link
    const ids = await page.locator('table.gpus tbody tr').evaluateAll((rows) => rows.map((one) => one.dataset.gpu));
    assert.equal(await focused(), ids[0]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(), ids[2]);
    assert.notEqual(await row(page, 2).evaluate((one) => getComputedStyle(one).outlineStyle), 'none');
    await page.keyboard.press('End');
    assert.equal(await focused(), ids[3]);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowUp');
    assert.equal(await focused(), ids[0]);
    await page.keyboard.press('Enter');
    const dialog = page.locator('dialog[open]');
    await wait_for_text(dialog.locator('h2'), 'GPU 0');
    await page.keyboard.press('ArrowRight');
    await wait_for_text(dialog.locator('h2'), 'GPU 1');
    await dialog.locator('[data-chart="chart_nvlink"] canvas').waitFor();
    await wait_for_text(dialog.locator('.values'), 'temperature_celsius');
    await page.waitForTimeout(3000);
    await shot(page, 'detail-light', false);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await focused(), ids[1], 'back where it was');
    assert.equal(await page.locator('table.gpus tbody tr[tabindex="0"]').count(), 1, 'the table is one stop');
    assert.deepEqual(wrong, []);
  } finally {
    await close();
    await daemon.stop();
  }
});

test('Chinese and dark, as the browser asks or as one chooses; both are remembered', async () => {
  const daemon = await Daemon.start(BUSY, ['--whole-period', '1s']);
  const { page, wrong, close } = await open(browser, daemon.url, { scheme: 'dark', locale: 'zh-CN' });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  try {
    await wait_for_text(page.locator('.link'), '实时');
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN');
    await wait_for_text(page.locator('#gpus thead'), '利用率');
    const dark = await background();
    await row(page, 0).click();
    await wait_for_text(page.locator('dialog .values'), '核心温度');
    await page.waitForTimeout(3000);
    await shot(page, 'detail-dark-chinese', false);
    await page.keyboard.press('Escape');
    await page.waitForTimeout(4000);
    await shot(page, 'eight-dark-chinese');
    const [language, theme] = [page.locator('header select').nth(0), page.locator('header select').nth(1)];
    await theme.selectOption('light');
    assert.notEqual(await background(), dark);
    await language.selectOption('en');
    await wait_for_text(page.locator('#gpus thead'), 'Utilisation');
    const texts = await page.locator('body').innerText();
    assert.ok(!/[\u4e00-\u9fff]/.test(texts.replace('中文', '')), 'no sentence of the other language is left');
    await page.reload();
    await wait_for_text(page.locator('.link'), 'live');
    assert.notEqual(await background(), dark);
    assert.deepEqual(wrong, []);
  } finally {
    await close();
    await daemon.stop();
  }
});

test('sixteen GPUs of three kinds, from wide screen to phone; nothing is wider than the window', async () => {
  const daemon = await Daemon.start('boards 8 h100-sxm\nboards 4 a100-sxm4-80gb\nboards 4 t4\nload 40\ngpu 1 load 90\n', ['--whole-period', '1s']);
  const { page, wrong, close } = await open(browser, daemon.url, { scheme: 'dark' });
  try {
    await row(page, 15).waitFor();
    await wait_for_text(row(page, 0).locator('td.nvlink'), 'GB/s');
    await wait_for_text(row(page, 12).locator('td.sm'), '–'); // before Hopper: not told, so no number
    for (const [width, height] of [[1920, 1080], [1280, 800], [1024, 768], [768, 1024], [390, 844], [320, 640]]) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(1500);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${over} px too wide at ${width}`);
      const cut = await page.locator('.gpus tbody .first, .tile-value').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
      assert.deepEqual(cut, [], `no number is cut at ${width}`);
      await shot(page, `sixteen-${width}`);
      await shot(page, `sixteen-${width}-window`, false);
    }
    assert.deepEqual(wrong, []);
  } finally {
    await close();
    await daemon.stop();
  }
});

test('one GPU; and when the daemon goes away the page says since when, and comes back by itself', async () => {
  const daemon = await Daemon.start('boards 1 t4\nload 30\n', ['--whole-period', '1s']);
  const { page, wrong, close } = await open(browser, daemon.url, { quiet: false }); // Chromium notes a refused connection on its console
  try {
    await wait_for_text(row(page, 0).locator('td.load'), '30');
    await page.waitForTimeout(2000);
    await shot(page, 'one');
    await daemon.kill();
    await wait_for_text(page.locator('.banner'), 'No data since');
    await shot(page, 'away');
    await daemon.run();
    await wait_for_text(page.locator('.link'), 'live');
    await page.locator('.banner').waitFor({ state: 'hidden' });
    assert.deepEqual(wrong, []);
  } finally {
    await close();
    await daemon.stop();
  }
});

test('with a history, charts begin with what was before, show days, and incidents that ended are told after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpuwright-past-'));
  const daemon = await Daemon.start('boards 4 h100-sxm\nload 60\n', ['--whole-period', '1s', '--look-period', '1s', '--history', join(folder, 'history.db')]);
  try {
    daemon.does('gpu 3 lost');
    const first = await open(browser, daemon.url);
    await wait_for_text(first.page.locator('.incident[data-severity="critical"]').first(), 'GPU 3');
    daemon.does('gpu 3 reset');
    await first.page.locator('.incident[data-severity="critical"]:not([data-open])').first().waitFor({ state: 'attached' });
    await first.page.waitForTimeout(12_000); // a step of the history
    await first.close();
    await daemon.kill();
    await daemon.run();

    const asked = [];
    const { page, wrong, close } = await open(browser, daemon.url, { locale: 'zh-CN' });
    page.on('request', (request) => asked.push(request.url()));
    await page.reload();
    await row(page, 3).waitFor();
    await page.locator('details.ended').waitFor();
    await page.locator('details.ended > summary').click();
    const incident = page.locator('details.ended .incident').first();
    await wait_for_text(incident, 'GPU 3');
    await incident.locator('summary').click();
    await wait_for_text(incident, 'GPU 恢复应答');
    assert.ok(asked.some((url) => url.includes('what=series') && url.includes('name=power_watts')), 'the charts begin with the past');
    const before_choice = await painted(page, 'chart_power');
    await page.locator('#charts [data-window="24h"]').click();
    await page.locator('#charts [data-window="24h"][aria-pressed="true"]').waitFor();
    for (let i = 0; i < 100 && (await painted(page, 'chart_power')) === before_choice; ++i) await page.waitForTimeout(100);
    assert.notEqual(await painted(page, 'chart_power'), before_choice, 'a day is another picture');
    await shot(page, 'history-24h');
    await row(page, 0).click();
    await page.locator('dialog [data-window="15m"]').click();
    await page.locator('dialog [data-window="15m"][aria-pressed="true"]').waitFor();
    assert.deepEqual(wrong, []);
    await close();
  } finally {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('where the daemon wants a token the page asks for it, and no longer once it is right', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'gpuwright-token-')), 'token');
  writeFileSync(file, `${'0123456789abcdef'.repeat(2)}\n`, { mode: 0o600 });
  const daemon = await Daemon.start('boards 2 h100-sxm\n', ['--token-file', file]);
  const { page, wrong, close } = await open(browser, daemon.url, { quiet: false }); // Chromium notes each 401 on its console
  try {
    const input = page.locator('.token input');
    await input.fill('wrong');
    await page.keyboard.press('Enter');
    await wait_for_text(page.locator('.token .wrong'), 'did not take');
    assert.equal(await page.locator('main').isVisible(), false);
    await shot(page, 'token');
    await input.fill('0123456789abcdef'.repeat(2));
    await page.keyboard.press('Enter');
    await row(page, 1).waitFor();
    await page.reload();
    await row(page, 1).waitFor();
    assert.deepEqual(wrong, []);
  } finally {
    await close();
    await daemon.stop();
    rmSync(dirname(file), { recursive: true });
  }
});

test('without a driver it says why', async () => {
  const nvml = process.env.GPUWRIGHT_NVML;
  process.env.GPUWRIGHT_NVML = '/no/such/library.so';
  const daemon = await Daemon.start('');
  const { page, wrong, close } = await open(browser, daemon.url);
  try {
    await wait_for_text(page.locator('#gpus .empty'), '/no/such/library.so: is not installed');
    await shot(page, 'no-driver');
    assert.deepEqual(wrong, []);
  } finally {
    process.env.GPUWRIGHT_NVML = nvml;
    await close();
    await daemon.stop();
  }
});
