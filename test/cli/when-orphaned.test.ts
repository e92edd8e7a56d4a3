import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { folder } from './run-cli.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/when-orphaned.mjs', import.meta.url));

const becomes = (isTrue: () => boolean): Promise<void> =>
  vi.waitFor(() => expect(isTrue()).toBe(true), { timeout: 20_000 });

/** As npm does it: a shell in between, which waits. */
function start(home: string, shell: string) {
  const worker = join(home, 'worker.mjs');
  writeFileSync(
    worker,
    `import { whenOrphaned } from ${JSON.stringify(SCRIPT)};
import { writeFileSync } from 'node:fs';
whenOrphaned(() => { writeFileSync('orphaned', ''); process.exit(); }, { everyMs: 20 });
setTimeout(() => {}, 30_000);
writeFileSync('started', String(process.pid));
`,
  );
  const npm = join(home, 'npm.mjs');
  writeFileSync(
    npm,
    `import { spawn } from 'node:child_process';
spawn('sh', ['-c', process.argv[2]], { stdio: 'ignore' });
setTimeout(() => {}, 30_000);
`,
  );
  return spawn(process.execPath, [npm, shell.replace('WORKER', `${process.execPath} worker.mjs`)], {
    cwd: home,
    stdio: 'ignore',
  });
}

describe.runIf(process.platform === 'linux')('a server whose npm was killed', () => {
  it.each(['WORKER; :', 'exec WORKER'])('hears of it behind the shell: %s', async (shell) => {
    const home = folder();
    const npm = start(home, shell);
    await becomes(() => existsSync(join(home, 'started')));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(existsSync(join(home, 'orphaned'))).toBe(false);
    npm.kill('SIGKILL');
    await becomes(() => existsSync(join(home, 'orphaned')));
  });
});
