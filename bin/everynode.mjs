#!/usr/bin/env -S node --max-semi-space-size=8
// The flag keeps the collector's pauses short, which cannot be asked for later.
// No static imports: an old Node.js must get as far as saying that it is too old.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `everynode needs Node.js 22.19 or newer; this is ${process.version}. In a clone, npm start brings one along.\n`,
  );
  process.exit(1);
}
const { enableCompileCache } = await import('node:module');
enableCompileCache?.();
const main = new URL('../dist/cli/main.js', import.meta.url);
const { existsSync } = await import('node:fs');
if (!existsSync(main)) {
  process.stderr.write('everynode is not built yet; npm start builds it (or: npm run build)\n');
  process.exit(1);
}
await (await import(main.href)).main(process.argv.slice(2));
