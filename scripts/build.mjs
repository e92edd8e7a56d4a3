/**
 * Emits the JavaScript that users run: one file a module into dist/ (tsc), and from those the program itself into dist/bundle/
 * (esbuild), because opening and linking a thousand modules is the greater part of a start. Parts that are imported when they
 * are needed stay files of their own.
 *
 *     node scripts/build.mjs [--out=DIR]
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const other = process.argv.find((argument) => argument.startsWith('--out='))?.slice('--out='.length);
const out = other ?? join(ROOT, 'dist');
const elsewhere = other === undefined ? [] : ['--outDir', other, '--tsBuildInfoFile', join(other, '.tsbuildinfo')];
const emitted = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', ...elsewhere], {
  cwd: ROOT,
  stdio: ['ignore', 2, 2],
});
if (emitted.status !== 0) process.exit(emitted.status ?? 1);

const outdir = join(out, 'bundle');
const { metafile } = await build({
  absWorkingDir: ROOT,
  // A thread is started from a file of its own, which stands beside its starter here as there.
  entryPoints: { main: join(out, 'cli/main.js'), 'yaml-worker': join(out, 'apiserver/wire/yaml-worker.js') },
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  packages: 'external',
  logLevel: 'warning',
  metafile: true,
});

/** Files of former builds stay for a day: an everynode that was started from them may not have imported all its parts yet. */
const KEPT_MS = 24 * 60 * 60 * 1000;
const written = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
for (const name of readdirSync(outdir)) {
  const path = join(outdir, name);
  if (!written.has(name) && Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path);
}
