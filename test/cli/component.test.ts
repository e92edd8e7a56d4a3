import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createHttpClient, type HttpClient } from '../../src/machinery/client/http/http-client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { everynode as everynodeOf, given, manifest } from './component-manifest.ts';
import { describeComponentCli } from './component-suite.ts';
import { BIN, folder, type Outcome, run } from './run-cli.ts';

let base: string;
let kubeconfig = '';
let cluster: ChildProcess;
let client: HttpClient;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'everynode-component-'));
  kubeconfig = join(base, 'kubeconfig');
  cluster = spawn(process.execPath, [BIN, 'up', '--ephemeral', '--port', '0', '--nodes', '4'], {
    env: { ...process.env, EVERYNODE_HOME: base },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    cluster.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (/is up at https:\S+/.test(said)) resolve();
    });
    cluster.once('close', () => reject(new Error(`the cluster ended: ${said}`)));
  });
  client = createHttpClient(await loadKubeconfig({ clock: realClock, path: kubeconfig }), {
    clock: realClock,
    random: realRandom,
  });
}, 60_000);

afterAll(async () => {
  await client?.close();
  cluster?.kill('SIGKILL');
  rmSync(base, { recursive: true, force: true });
});

const everynode = (home: string, args: readonly string[]): Promise<Outcome> => everynodeOf(home, args, kubeconfig);

describe('everynode, for manifests alone', () => {
  it('writes starters that lint clean and never replaces a file', async () => {
    const home = folder();
    const listed = await everynode(home, ['init']);
    expect(listed.stdout.match(/^\S+/gm)).toEqual([
      'log-collector',
      'node-monitor',
      'network-plugin',
      'storage-daemon',
      'security-agent',
    ]);
    const written = await everynode(home, ['init', 'log-collector', '--name', 'shipper', '--namespace', 'logs']);
    expect([written.code, written.stdout]).toEqual([0, '']);
    const text = readFileSync(join(home, 'shipper.yaml'), 'utf8');
    expect(parse(text)).toMatchObject({ metadata: { name: 'shipper' }, spec: { namespace: 'logs' } });
    expect(text).toMatch(/^# /);
    expect(text).not.toContain('log-collector');
    expect(written.stderr).toContain('the Secret logs/loki-credentials with the key password, in the cluster');
    const again = await everynode(home, ['init', 'log-collector', '--name', 'shipper']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('shipper.yaml is there already')]);
    expect(readFileSync(join(home, 'shipper.yaml'), 'utf8')).toBe(text);
    const forced = await everynode(home, ['init', 'node-monitor', '-o', 'shipper.yaml', '--force']);
    expect(forced.code).toBe(0);
    const linted = await everynode(home, ['lint', '-f', 'shipper.yaml']);
    expect(linted).toMatchObject({ code: 0, stdout: '' });
    expect((await everynode(home, ['init', 'log-shipper'])).stderr).toContain('Allowed choices are log-collector');
    expect((await everynode(home, ['init', 'log-collector', '--name', 'A b'])).stderr).toContain('for --name');
  });

  it('says what a starter needs before it can be applied, and again where it is not there', async () => {
    const home = folder();
    mkdirSync(join(home, 'sub'));
    const storage = await everynode(home, ['init', 'storage-daemon']);
    expect(storage.stderr).toMatch(
      /must be:\n.*the variable REGISTRY_PASSWORD[^]*Secret storage-system\/storage-cluster/,
    );
    const agent = await everynode(home, ['init', 'security-agent', '-o', 'sub/agent.yaml']);
    expect(storage.stderr).toContain('everynode apply -f storage-daemon.yaml --allow-env REGISTRY_PASSWORD\n');
    expect(agent.stderr).toContain('the file sub/secrets/alert-token\n');
    expect((await everynode(home, ['init', 'node-monitor'])).stderr).not.toContain('must be');
    const said = async (file: string): Promise<string> =>
      (await everynode(home, ['apply', '-f', file, '--dry-run=client', '--allow-env', 'REGISTRY_PASSWORD'])).stderr;
    expect(await said('storage-daemon.yaml')).toContain('export REGISTRY_PASSWORD before you apply it');
    expect(await said('sub/agent.yaml')).toContain(
      'create the file secrets/alert-token, relative to the folder of the manifest, sub',
    );
  });

  it('renders files, folders and stdin, with overrides, and masks secrets', async () => {
    const home = given({ namespace: 'obs' });
    mkdirSync(join(home, 'two'));
    writeFileSync(join(home, 'two', 'a.yaml'), manifest({ name: 'a', namespace: 'obs' }));
    writeFileSync(join(home, 'two', 'b.json'), JSON.stringify(parse(manifest({ name: 'b', namespace: 'obs' }))));
    writeFileSync(join(home, 'two', 'notes.txt'), 'not a manifest');
    const one = await everynode(home, [
      'render',
      '-f',
      'agent.yaml',
      '--set',
      'spec.container.app.image=example.com/agent:2.0',
    ]);
    const objects = parseAllDocuments(one.stdout).map((each) => each.toJS() as { kind: string });
    expect(objects.map(({ kind }) => kind)).toEqual(['Namespace', 'ConfigMap', 'Secret', 'DaemonSet']);
    expect(one.stdout).toContain('image: example.com/agent:2.0');
    expect(one.stdout).toContain('TOKEN: "<masked>"');
    const both = await everynode(home, ['render', '-f', 'two', '-o', 'name']);
    expect(both.stdout.match(/daemonset.apps\/\S+/g)).toEqual(['daemonset.apps/a', 'daemonset.apps/b']);
    const piped = await run(['render', '-f', '-', '-o', 'json', '--show-secrets', '--allow-env', 'AGENT_TOKEN'], {
      home,
      env: { AGENT_TOKEN: 'shown' },
      stdin: manifest({ namespace: 'obs' }),
    });
    const { items } = JSON.parse(piped.stdout) as { items: { kind: string; data?: Record<string, string> }[] };
    expect(items.find(({ kind }) => kind === 'Secret')?.data).toEqual({ TOKEN: 'c2hvd24=' });
  });

  it('builds kustomizations with kubectl, or says that it cannot', async () => {
    const home = given({ namespace: 'obs' });
    writeFileSync(join(home, 'kustomization.yaml'), 'resources: [agent.yaml]\n');
    const bin = join(home, 'bin');
    mkdirSync(bin);
    const without = await run(['render', '-f', '.'], { home, env: { PATH: bin } });
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('kubectl, which would build it')]);
    writeFileSync(join(bin, 'kubectl'), '#!/bin/sh\n/bin/cat "$2/agent.yaml"\n');
    chmodSync(join(bin, 'kubectl'), 0o755);
    const built = await run(['render', '-k', '.', '-o', 'name'], { home, env: { PATH: bin } });
    expect([built.code, built.stdout]).toEqual([0, expect.stringContaining('daemonset.apps/agent')]);
  });

  it('shows every problem at once with file, line and column', async () => {
    const home = given({ namespace: 'obs', image: '' });
    writeFileSync(join(home, 'b.yaml'), manifest({ namespace: 'obs' }).replace('createNamespace', 'createNamespce'));
    writeFileSync(join(home, 'c.yaml'), 'a: [\n');
    for (const command of ['render', 'apply', 'diff']) {
      const { code, stdout, stderr } = await everynode(home, [command, '-f', '.']);
      expect([code, stdout]).toEqual([command === 'diff' ? 2 : 1, '']);
      expect(stderr).toMatch(/^error: \d problems:\n/);
      expect(stderr).toMatch(/agent\.yaml:12:5: spec\.container\.app\.image/);
      expect(stderr).toMatch(/b\.yaml:8:3: spec\.createNamespce: .*createNamespace/);
      expect(stderr).toMatch(/c\.yaml:\d:\d/);
    }
    const linted = await everynode(home, ['lint', '-f', 'b.yaml']);
    expect([linted.code, linted.stdout]).toEqual([1, expect.stringMatching(/^b\.yaml:8:3: error: /)]);
  });

  it('reads every kind of input there is, or says why not', async () => {
    const home = given({ namespace: 'obs' });
    const text = readFileSync(join(home, 'agent.yaml'), 'utf8');
    for (const good of [`\ufeff${text}`, text.replaceAll('\n', '\r\n'), `---\n${text}---\n`]) {
      writeFileSync(join(home, 'good.yaml'), good);
      const { code, stdout } = await everynode(home, ['render', '-f', 'good.yaml', '-o', 'name']);
      expect([code, stdout]).toEqual([0, expect.stringContaining('daemonset.apps/agent')]);
    }
    const latin = Buffer.from(text.replace('one:', 'caf\u00e9:'), 'latin1');
    const garbage = 'x]y: {z\n'.repeat(20_000);
    const bad: readonly [string | Buffer, RegExp][] = [
      [latin, /bad\.yaml is no UTF-8 text/],
      [Buffer.from(`\ufeff${text}`, 'utf16le'), /bad\.yaml is no UTF-8 text/],
      [text.replace('obs', 'o\u0000bs'), /bad\.yaml:7:\d+: contains a control character/],
      [`a: ${'x'.repeat(1024 * 1024)}`, /larger than 1 MiB/],
      [garbage, /21 problems:[^]*and \d+ more faults/],
      [text.replace('env:AGENT_TOKEN', '!hunter2-before x'), /bad\.yaml:16:\d+: has a tag/],
      [text.replace('env:AGENT_TOKEN', '"file:."'), /cannot be read: .*directory/],
      ['', /there is no KubernetesDaemonSet in bad\.yaml/],
    ];
    for (const [content, message] of bad) {
      writeFileSync(join(home, 'bad.yaml'), content);
      const { code, stdout, stderr } = await everynode(home, ['apply', '-f', 'bad.yaml', '--dry-run=client']);
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', '(sleep 0.7; cat agent.yaml) | "$0" "$1" render -f - -o name', process.execPath, BIN],
      { cwd: home },
    );
    expect(stdout).toContain('daemonset.apps/agent');
    const empty = await run(['render', '-f', '-'], { home, stdin: '' });
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('there is no KubernetesDaemonSet in -')]);
  });

  it('lints the rest of a folder in which files cannot be read, and applies nothing of it', async () => {
    const home = given({ namespace: 'obs', image: 'example.com/agent:latest' });
    mkdirSync(join(home, 'all'));
    writeFileSync(join(home, 'all', 'z.yaml'), readFileSync(join(home, 'agent.yaml')));
    writeFileSync(join(home, 'all', 'a.json'), Buffer.from([0xff, 0xfe, 0x00, 0x80]));
    writeFileSync(join(home, 'all', '._z.yaml'), Buffer.from([0x00, 0x05, 0x16, 0x07, 0xff]));
    symlinkSync('nowhere', join(home, 'all', 'b.yaml'));
    execFileSync('mkfifo', [join(home, 'all', 'c.yaml')]);
    const { code, stdout, stderr } = await everynode(home, ['lint', '-f', 'all']);
    expect(code).toBe(1);
    expect(stdout).toContain('all/a.json: error: is no UTF-8 text [EN_COMPONENT_UNREADABLE]');
    expect(stdout).toContain('all/._z.yaml: error: is no UTF-8 text');
    expect(stdout).toContain('all/b.yaml: error: there is no file or folder all/b.yaml');
    expect(stdout).toContain('all/c.yaml: error: is no file');
    expect(stdout).toMatch(/all\/z\.yaml:13:\d+: warning: .*latest/);
    expect(stderr).toContain('1 component: 4 errors');
    const applied = await everynode(home, ['apply', '-f', 'all', '--dry-run=client']);
    expect([applied.code, applied.stdout]).toEqual([1, '']);
    expect(applied.stderr).toMatch(/4 problems:[^]*all\/a\.json: is no UTF-8 text/);
  });

  it('fills in the namespace of -n where none is said, and nowhere else', async () => {
    const home = given({ namespace: 'obs' });
    const said = manifest({ namespace: 'obs' });
    const inThere = async (namespace: string): Promise<string> => {
      writeFileSync(join(home, 'agent.yaml'), said.replace('  namespace: obs\n', namespace));
      const { code, stdout, stderr } = await everynode(home, ['render', '-f', 'agent.yaml', '-n', 'there']);
      return code === 0 ? (/^ {2}namespace: (\S+)/m.exec(stdout)?.[1] ?? '') : stderr;
    };
    for (const none of ['', '  namespace:\n', '  namespace: ""\n', '  namespace: { value: "" }\n'])
      expect(await inThere(none), none).toBe('there');
    expect(await inThere('  namespace: { valueFrom: { kind: K, name: k, fieldPath: spec.x } }\n')).toContain(
      'K k is not among the documents',
    );
    expect(await inThere('  namespace: { value: here }\n')).toContain('the namespace here is not that of -n, there');
  });

  it('grades lints, and fails on the level that is asked for', async () => {
    const home = given({ namespace: 'obs', image: 'example.com/agent:latest' });
    const calm = await everynode(home, ['lint', '-f', 'agent.yaml']);
    expect([calm.code, calm.stdout]).toEqual([0, expect.stringMatching(/agent\.yaml:13:\d+: warning: .*latest/)]);
    expect((await everynode(home, ['lint', '-f', 'agent.yaml', '--fail-on', 'warning'])).code).toBe(1);
    const json = await everynode(home, ['lint', '-f', 'agent.yaml', '-o', 'json', '--against-cluster']);
    const { problems, findings } = JSON.parse(json.stdout) as { problems: unknown[]; findings: { level: string }[] };
    expect(problems).toEqual([]);
    expect(findings.map(({ level }) => level)).toContain('warning');
  });

  it.each([
    [['render'], 'no manifest is given', 1],
    [['render', '-f', 'absent.yaml', '-f', 'gone.yaml'], 'there is no file or folder gone.yaml', 1],
    [['render', '-f', 'agent.yaml', '--mode', 'bold'], 'Allowed choices are safe, compatible', 1],
    [['render', '-f', 'agent.yaml', '-n', 'other'], 'agent.yaml:7:14: the namespace obs is not that of -n, other', 1],
    [['render', '-f', 'agent.yaml', '-n', 'a,spec.x=1'], 'invalid argument "a,spec.x=1" for --namespace', 1],
    [['render', '-f', 'agent.yaml', '-f', './agent.yaml'], 'obs/agent is given twice', 1],
    [['render', '-f', 'agent.yaml', '--docker-config', '.'], '--docker-config: cannot read .', 1],
    [['render', '-f', 'agent.yaml', '--set', 'nonsense'], '[EN_COMPONENT_SET]', 1],
    [['render', '-f', 'agent.yaml', '--show-secrets'], 'if that is meant: --allow-env AGENT_TOKEN', 1],
    [['apply', '-f', 'agent.yaml', '--allow-env', 'AGENT_TOKEN'], 'nothing was found at env:AGENT_TOKEN', 1],
    [['apply', '-f', 'agent.yaml', '--allow-files', ''], '--allow-files is empty', 1],
    [['apply', '-f', 'agent.yaml', '--timeout', 'soon'], 'for --timeout', 1],
    [['apply', '-f', 'agent.yaml', '--dry-run=maybe'], 'for --dry-run', 1],
    [['apply', '-f', 'agent.yaml', '--prune=perhaps'], 'for --prune', 1],
    [['apply', '--flename', 'x'], 'Did you mean --filename?', 1],
    [['diff', '--flename', 'x'], 'Did you mean --filename?', 2],
    [['apply', '--file', 'x'], 'Did you mean --filename?', 1],
    [['apply', 'mine.yaml'], 'Did you mean -f mine.yaml?', 1],
    [['init', 'node-monitr'], 'Did you mean node-monitor?', 1],
    [['undo', 'x', '--to-revision', 'two'], 'for --to-revision', 1],
    [['delete'], 'no component is named', 1],
    [['delete', 'x', '-f', 'agent.yaml'], 'Give one of the two', 1],
    [['status', 'x', '--kubeconfig', 'absent'], 'absent', 1],
  ])('says what is wrong with %j', async (args, message, code) => {
    const home = given({ namespace: 'obs' });
    const outcome = await run(args, { home, env: { KUBECONFIG: '' } });
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr).toMatch(/^error: /);
    expect({ code: outcome.code, stdout: outcome.stdout }).toEqual({ code, stdout: '' });
  });
});

describeComponentCli('with its own cluster', () => ({ kubeconfig, client }));
