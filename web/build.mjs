// Bundles the page: build.mjs OUT [MODULES]. OUT gets index.html, page.js, page.css and licences.txt, and page.pack, which holds them all
// with their gzip twins (src/server/page_files.cpp reads it). MODULES is the node_modules to take libraries from. Prints the sizes.
// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, 'dist'));
const modules = resolve(process.argv[3] ?? join(here, 'node_modules'));
const esbuild = createRequire(join(modules, '_'))('esbuild');

const LIMIT = 60 * 1024; // bytes over the wire, all files together

const built = await esbuild.build({
  entryPoints: [join(here, 'src/main.ts')],
  outfile: join(out, 'page.js'),
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
  nodePaths: [modules],
  charset: 'utf8',
  legalComments: 'none', // /licences.txt has them
  write: false,
  logLevel: 'warning',
});

const files = new Map(built.outputFiles.map((file) => [file.path.endsWith('.css') ? 'page.css' : 'page.js', Buffer.from(file.contents)]));
files.set('index.html', readFileSync(join(here, 'src/index.html')));
const licence = readFileSync(join(modules, 'uplot/LICENSE'), 'utf8');
files.set('licences.txt', Buffer.from(`This page holds uPlot (https://github.com/leeoniya/uPlot):\n\n${licence}`));

const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', txt: 'text/plain' };

mkdirSync(out, { recursive: true });
const rows = [];
const bodies = [];
let all = 0;
for (const [name, content] of files) {
  const zipped = gzipSync(content, { level: 9 });
  all += zipped.length;
  const tag = createHash('sha256').update(content).digest('hex').slice(0, 20);
  rows.push([`/${name}`, `${TYPES[name.split('.').pop()]}; charset=utf-8`, tag, content.length, zipped.length].join('\t'));
  bodies.push(content, zipped);
  writeFileSync(join(out, name), content);
  console.log(`${name}: ${content.length} bytes, ${zipped.length} over the wire`);
}
if (all > LIMIT) {
  console.error(`the page takes ${all} bytes over the wire, the limit is ${LIMIT}`);
  process.exit(1);
}
writeFileSync(join(out, 'page.pack'), Buffer.concat([Buffer.from(`gpuwright page 1\n${rows.join('\n')}\n\n`), ...bodies]));
