#!/usr/bin/env -S MALLOC_TRIM_THRESHOLD_=131072 MALLOC_MMAP_THRESHOLD_=16384 MALLOC_ARENA_MAX=2 node --max-semi-space-size=8
// The flag keeps the collector's pauses short, and the variables let the C library return the memory of bodies and answers,
// which it otherwise keeps after a load (bin/runtime.mjs). Neither can be asked for later.
// No static imports: an old Node.js must get as far as finding a newer one, or saying that it is too old.
const { isNewEnough, installedRuntime, MEMORY, NEEDED } = await import('./runtime.mjs');
if (isNewEnough(process.versions.node)) await start();
else await startAnew();

async function start() {
  const { enableCompileCache } = await import('node:module');
  enableCompileCache?.();
  const main = new URL('../dist/bundle/main.js', import.meta.url);
  const { existsSync } = await import('node:fs');
  if (!existsSync(main)) {
    process.stderr.write('everynode is not built yet; npm start builds it (or: npm run build)\n');
    process.exit(1);
  }
  await (await import(main.href)).main(process.argv.slice(2));
}

/** With the Node.js that the clone has: it takes the terminal, and its end is ours. */
async function startAnew() {
  const { fileURLToPath } = await import('node:url');
  const node = installedRuntime(fileURLToPath(new URL('..', import.meta.url)));
  // Set by ourselves: whatever is wrong then, once more would not help.
  const isSecond = process.env.EVERYNODE_STARTED_ANEW === '1';
  if (node === undefined || isSecond) {
    process.stderr.write(
      `everynode needs Node.js ${NEEDED.join('.')} or newer; this is ${process.version}. In a clone, npm start brings one along.\n`,
    );
    process.exit(1);
  }
  const { spawn } = await import('node:child_process');
  const args = ['--max-semi-space-size=8', fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(node, args, {
    stdio: 'inherit',
    env: { ...process.env, ...MEMORY, EVERYNODE_STARTED_ANEW: '1' },
  });
  // Ctrl-C reaches the child by itself.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`error: cannot start ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}
