import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/core/api/registry/resources.ts';
import { createHttpClient } from '../../src/machinery/client/http/http-client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { ask, BIN, cli, folder, names, run, type Cli } from './run-cli.ts';

const UP = /is up at https:\S+/;

async function up(home: string, ...flags: string[]): Promise<Cli> {
  const process = cli(['up', '--port', '0', ...flags], { home });
  await process.says(UP);
  return process;
}

const stop = (process: Cli, signal: NodeJS.Signals) => {
  process.child.kill(signal);
  return process.ended;
};

const mode = (file: string): string => (statSync(file).mode & 0o777).toString(8);

/** A start that takes more than a second says so, in lines of its own. */
const withoutProgress = (stderr: string): string =>
  stderr.replaceAll(/^(?:starting|opening .*|creating nodes \d+\/\d+)\n/gm, '');

describe('everynode up', () => {
  it('starts a cluster with five nodes, writes a private kubeconfig, and says what to try', async () => {
    const home = folder();
    const process = await up(home, '--ephemeral');
    const file = join(home, 'kubeconfig');
    expect(await names(file, '/api/v1/nodes')).toEqual(['node-0', 'node-1', 'node-2', 'node-3', 'node-4']);
    expect(mode(file)).toBe('600');
    expect((await ask(file, '/api/v1/nodes', true)).status).toBe(403);
    expect((await run(['kubeconfig', '--path'], { home })).stdout).toBe(`${file}\n`);
    expect((await run(['kubeconfig'], { home })).stdout).toBe(readFileSync(file, 'utf8'));
    const { code, stdout, stderr } = await stop(process, 'SIGINT');
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    for (const words of [`export KUBECONFIG=${file}`, 'kubectl get nodes', 'Nothing is kept', 'Stopping…']) {
      expect(stderr).toContain(words);
    }
    expect(stderr).not.toContain('client-key-data');
    expect(stderr).not.toContain('\u001b[');
    expect(existsSync(join(home, 'cluster'))).toBe(false);
  });

  it('brings definitions of ours back that somebody deleted', async () => {
    const home = folder();
    const file = join(home, 'kubeconfig');
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const first = await up(home, '--nodes', '1');
    const before = await names(file, path);
    expect(before).toContain('kubernetesdaemonsets.kubernetes.planton.dev');
    const config = await loadKubeconfig({ clock: realClock, path: file });
    const client = createHttpClient(config, { clock: realClock, random: realRandom });
    await client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: 'kubernetesdaemonsets.kubernetes.planton.dev' });
    await client.close();
    await stop(first, 'SIGTERM');
    const second = await up(home);
    expect(await names(file, path)).toEqual(before);
    await stop(second, 'SIGTERM');
  });

  it('keeps everything over a restart, and adds only the nodes that are missing', async () => {
    const home = folder();
    const file = join(home, 'kubeconfig');
    const first = await up(home);
    expect((await stop(first, 'SIGTERM')).code).toBe(0);
    const before = readFileSync(file, 'utf8');
    const second = await up(home, '--nodes', '7');
    expect(await names(file, '/api/v1/nodes')).toHaveLength(7);
    expect(await second.says(UP)).toContain('with 7 simulated nodes');
    expect((await stop(second, 'SIGTERM')).stderr).toContain(`Kept in ${join(home, 'cluster')}`);
    const third = await up(home);
    expect(await names(file, '/api/v1/nodes')).toHaveLength(7);
    await stop(third, 'SIGTERM');
    const user = (text: string) => (parse(text) as { users: unknown }).users;
    expect(user(readFileSync(file, 'utf8'))).toEqual(user(before));
  });

  it('makes the nodes of a file, also from stdin', async () => {
    const home = folder();
    const text = 'groups:\n  - {name: big, count: 2, capacity: {cpu: "64"}}\n  - {name: small, count: 1}\n';
    const process = cli(['up', '--port', '0', '--ephemeral', '--node-groups', '-'], { home, stdin: text });
    await process.says(UP);
    expect(await names(join(home, 'kubeconfig'), '/api/v1/nodes')).toEqual(['big-0', 'big-1', 'small-0']);
    await stop(process, 'SIGTERM');
  });

  it('needs no stdin at all', async () => {
    const home = folder();
    const command = `exec "$0" "$1" up --port 0 --ephemeral --nodes 1 <&-`;
    const child = spawn('bash', ['-c', command, process.execPath, BIN], {
      env: { ...process.env, EVERYNODE_HOME: home },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const code = await new Promise((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => void (UP.test(chunk.toString()) && child.kill('SIGTERM')));
      child.once('close', resolve);
    });
    expect(code).toBe(0);
  });

  it('adds itself to a kubeconfig that holds other clusters, and closes it to others', async () => {
    const home = folder();
    const file = join(home, 'config');
    const other = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'prod',
      clusters: [{ name: 'prod', cluster: { server: 'https://prod.example' } }],
      users: [{ name: 'me', user: { token: 'secret' } }],
      contexts: [{ name: 'prod', context: { cluster: 'prod', user: 'me' } }],
      preferences: { colors: true },
    };
    writeFileSync(file, JSON.stringify(other), { mode: 0o644 });
    chmodSync(file, 0o644);
    symlinkSync(file, join(home, 'link'));
    const process = await up(home, '--ephemeral', '--nodes', '1', '--write-kubeconfig', 'link');
    const written = parse(readFileSync(file, 'utf8')) as typeof other;
    expect(written.clusters.map(({ name }) => name)).toEqual(['prod', 'everynode']);
    expect(written.users.map(({ name }) => name)).toEqual(['me', 'everynode']);
    expect(written['current-context']).toBe('everynode');
    expect(written.preferences).toEqual({ colors: true });
    expect(mode(file)).toBe('600');
    expect(await names(file, '/api/v1/nodes')).toEqual(['node-0']);
    expect((await run(['kubeconfig', '--path'], { home })).stdout).toBe(`${join(home, 'link')}\n`);
    await stop(process, 'SIGTERM');
  });

  it.each(['hello: [', '- a list', 'clusters: nonsense'])(
    'leaves a file alone that is no kubeconfig (%s)',
    async (text) => {
      const home = folder();
      const file = join(home, 'precious');
      writeFileSync(file, text);
      const { code, stderr } = await run(['up', '--ephemeral', '--port', '0', '--write-kubeconfig', file], { home });
      expect(code).toBe(1);
      expect(stderr).toContain('is no kubeconfig, and is left as it is');
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('warns when others can reach it', async () => {
    const home = folder();
    const process = await up(home, '--ephemeral', '--nodes', '1', '--bind', '0.0.0.0');
    const { stderr } = await stop(process, 'SIGTERM');
    expect(stderr).toMatch(/is up at https:\/\/127\.0\.0\.1:/);
    expect(stderr).toContain('Listening on 0.0.0.0: whoever can reach this machine');
    const quiet = await up(home, '--ephemeral', '--nodes', '1', '--bind', '127.0.0.2');
    expect((await stop(quiet, 'SIGTERM')).stderr).not.toContain('Listening on');
  });
});

describe('everynode up, when something stands in the way', () => {
  it('says which process has the data directory', async () => {
    const home = folder();
    const process = await up(home, '--nodes', '1');
    const { code, stderr } = await run(['up', '--port', '0'], { home });
    expect(code).toBe(1);
    expect(stderr).toContain(`is in use by process ${process.child.pid}`);
    expect(stderr).toContain('--ephemeral');
    expect(await names(join(home, 'kubeconfig'), '/api/v1/nodes')).toEqual(['node-0']);
    expect((await stop(process, 'SIGTERM')).code).toBe(0);
  });

  it('says that the port is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await run(['up', '--ephemeral', '--port', String(port)], { home: folder() });
    server.close();
    expect({ code, stderr: withoutProgress(stderr) }).toEqual({
      code: 1,
      stderr: `error: 127.0.0.1:${port} is taken by another process\n  Choose another with --port N; --port 0 takes any free one\n`,
    });
  });

  it.each(['203.0.113.7', 'no such host'])('says that %s is no address of this machine', async (bind) => {
    const { code, stderr } = await run(['up', '--ephemeral', '--port', '0', '--bind', bind], { home: folder() });
    expect(code).toBe(1);
    expect(stderr).toContain(`${bind} is no address of this machine`);
  });

  it('says that the data directory cannot be one', async () => {
    const home = folder();
    writeFileSync(join(home, 'file'), 'x');
    for (const dataDir of ['file', join('file', 'below')]) {
      const { code, stderr } = await run(['up', '--port', '0', '--data-dir', dataDir], { home });
      expect(code).toBe(1);
      expect(withoutProgress(stderr)).toMatch(/^error: cannot use .*file.* as data directory: /);
      expect(stderr).toContain('--ephemeral');
    }
  });

  it('says that the audit log cannot be written', async () => {
    const { code, stderr } = await run(['up', '--port', '0', '--audit-log-path', 'absent/audit.log'], {
      home: folder(),
    });
    expect(code).toBe(1);
    expect(withoutProgress(stderr)).toMatch(/^error: cannot write --audit-log-path: .*absent/);
  });

  it('says which flag is empty', async () => {
    for (const flag of ['--data-dir', '--write-kubeconfig', '--bind']) {
      const { code, stderr } = await run(['up', '--port', '0', flag, ''], { home: folder() });
      expect(code).toBe(1);
      expect(stderr).toContain(`error: ${flag} is empty`);
    }
  });

  it('says that the kubeconfig cannot be written, and stops the cluster again', async () => {
    const home = folder();
    writeFileSync(join(home, 'file'), 'x');
    const { code, stderr } = await run(['up', '--port', '0', '--ephemeral', '--write-kubeconfig', 'file/below'], {
      home,
    });
    expect(code).toBe(1);
    expect(stderr).toContain('cannot write the kubeconfig');
    expect(stderr).toContain('--write-kubeconfig FILE');
  });

  it('says that there is nothing to start from when the store is damaged', async () => {
    const home = folder();
    const first = await up(home, '--nodes', '1');
    await stop(first, 'SIGTERM');
    const store = join(home, 'cluster', 'store');
    const [segment] = (await import('node:fs'))
      .readdirSync(store)
      .filter((name) => statSync(join(store, name)).size > 100);
    const file = join(store, segment ?? '');
    writeFileSync(file, Buffer.from(readFileSync(file)).fill(0x41, 0, 64));
    const { code, stderr } = await run(['up', '--port', '0'], { home });
    expect(code).toBe(1);
    expect(withoutProgress(stderr)).toMatch(/^error: .*EN_STORE_(CORRUPT|SCHEMA)/s);
    expect(stderr).toContain('--data-dir');
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe('everynode, when something fails that nobody waited for', () => {
  it.each(['Promise.reject(new Error("boom"))', 'void (() => { throw new Error("boom"); })()'])(
    'ends with a word and exit code 1: %s',
    async (failure) => {
      const hook = `data:text/javascript,setTimeout(() => ${encodeURIComponent(failure)}, 1500)`;
      const { code, stdout, stderr } = await run(['up', '--port', '0', '--ephemeral'], {
        home: folder(),
        env: { NODE_OPTIONS: `--import=${hook.replaceAll(' ', '%20')}` },
      });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('error: something went wrong that should not: Error: boom');
    },
  );
});

describe('everynode up, interrupted', () => {
  it('while it starts: exits 130 and leaves a store that opens', async () => {
    const home = folder();
    const process = cli(['up', '--port', '0', '--nodes', '100000'], { home });
    await process.says(/creating nodes|opening/);
    const { code, stderr } = await stop(process, 'SIGINT');
    expect(code).toBe(130);
    expect(stderr).not.toContain('error');
    const again = await up(home);
    expect((await names(join(home, 'kubeconfig'), '/api/v1/nodes?limit=10')).length).toBeGreaterThan(0);
    expect((await stop(again, 'SIGTERM')).code).toBe(0);
  });

  it('twice: exits at once', async () => {
    const home = folder();
    const process = await up(home, '--ephemeral');
    process.child.kill('SIGINT');
    await process.says('Stopping…');
    process.child.kill('SIGINT');
    expect((await process.ended).code).toBe(130);
  });

  it('with watchers connected: still stops in good order', async () => {
    const home = folder();
    const process = await up(home, '--ephemeral');
    const watching = ask(join(home, 'kubeconfig'), '/api/v1/pods?watch=true').catch(() => undefined);
    await ask(join(home, 'kubeconfig'), '/version');
    const { code, stderr } = await stop(process, 'SIGTERM');
    await watching;
    expect(code).toBe(0);
    // Nothing but what people are told.
    expect(stderr).not.toMatch(/error|"level"/);
  });
});

describe('colours', () => {
  const hasTerminals = spawnSync('script', ['--version']).status === 0;
  it.runIf(hasTerminals)('are for terminals that want them', async () => {
    const script = (env: Record<string, string>): Promise<string> =>
      new Promise((resolve) => {
        const home = folder();
        mkdirSync(join(home, 'x'));
        const command = `${process.execPath} ${BIN} up --port 0 --ephemeral --nodes 1`;
        const child = spawn('script', ['-qec', command, '/dev/null'], {
          env: { PATH: process.env['PATH'] ?? '', HOME: home, EVERYNODE_HOME: home, TERM: 'xterm', ...env },
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        let output = '';
        let isStopping = false;
        child.stdout.on('data', (chunk: Buffer) => {
          output += chunk.toString();
          if (!isStopping && output.includes('Stop with Ctrl-C')) {
            isStopping = true;
            child.stdin.write('\u0003');
          }
        });
        child.once('close', () => resolve(output));
      });
    const [coloured, plain, dumb] = [await script({}), await script({ NO_COLOR: '1' }), await script({ TERM: 'dumb' })];
    expect(coloured).toContain('\u001b[32m✓');
    expect(plain).toContain('✓');
    // A start that takes long redraws its line, which is no colour.
    expect(plain.replaceAll('\u001b[K', '')).not.toContain('\u001b[');
    expect(dumb).not.toContain('\u001b[');
  });
});
