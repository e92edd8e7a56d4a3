import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { CONFIG_MAPS, DAEMON_SETS } from '../../src/core/api/registry/resources.ts';
import { createHttpClient, type HttpClient } from '../../src/machinery/http/http-client.ts';
import { loadKubeconfig } from '../../src/machinery/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/real-clock.ts';
import { realRandom } from '../../src/machinery/real-random.ts';
import { BIN, cli, folder, type Outcome, run } from './run-cli.ts';

const SECRETS = ['hunter2-before', 'hunter2-after'];

interface Parts {
  readonly name?: string;
  readonly namespace: string;
  readonly image?: string;
  readonly configMaps?: readonly string[];
}

const manifest = ({
  name = 'agent',
  namespace,
  image = 'example.com/agent:1.0',
  configMaps = ['one'],
}: Parts): string => `
apiVersion: kubernetes.planton.dev/v1
kind: KubernetesDaemonSet
metadata:
  name: ${name}
spec:
  namespace: ${namespace}
  createNamespace: true
  configMaps:
${configMaps.map((each) => `    ${each}: { a.conf: "text of ${each}" }`).join('\n')}
  container:
    app:
      image: ${image}
      env:
        secrets:
          TOKEN: env:AGENT_TOKEN
      resources:
        requests: { cpu: 10m, memory: 16Mi }
        limits: { memory: 32Mi }
`;

/** A folder with the manifest in it. */
function given(parts: Parts, file = 'agent.yaml'): string {
  const home = folder();
  writeFileSync(join(home, file), manifest(parts));
  return home;
}

const isSecretIn = (text: string): boolean =>
  SECRETS.some((secret) => text.includes(secret) || text.includes(Buffer.from(secret).toString('base64')));

/** Whatever is asked, no secret is in the answer. */
async function everynode(home: string, args: readonly string[], token = 'hunter2-before'): Promise<Outcome> {
  const outcome = await run(args, { home, env: { KUBECONFIG: kubeconfig, AGENT_TOKEN: token } });
  expect(isSecretIn(outcome.stdout + outcome.stderr)).toBe(false);
  return outcome;
}

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

const configMapsIn = async (namespace: string): Promise<readonly string[]> =>
  (await client.list(CONFIG_MAPS, { namespace })).items
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== 'kube-root-ca.crt' && !name.startsWith('everynode-inventory'))
    .toSorted();

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
    const piped = await run(['render', '-f', '-', '-o', 'json', '--show-secrets'], {
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
    [['render', '-f', 'agent.yaml', '--set', 'nonsense'], '[EN_COMPONENT_SET]', 1],
    [['render', '-f', 'agent.yaml', '--show-secrets'], 'nothing was found at env:AGENT_TOKEN', 1],
    [['apply', '-f', 'agent.yaml', '--timeout', 'soon'], 'for --timeout', 1],
    [['apply', '-f', 'agent.yaml', '--dry-run=maybe'], 'for --dry-run', 1],
    [['apply', '-f', 'agent.yaml', '--prune=perhaps'], 'for --prune', 1],
    [['apply', '--flename', 'x'], 'Did you mean --filename?', 1],
    [['diff', '--flename', 'x'], 'Did you mean --filename?', 2],
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

describe('everynode, with a cluster', () => {
  it('goes the whole way of a component', async () => {
    const namespace = 'way';
    const home = given({ namespace, configMaps: ['one', 'two'] });
    const file = ['-f', 'agent.yaml'];
    const before = await everynode(home, ['diff', ...file]);
    expect([before.code, before.stderr]).toEqual([1, '']);
    expect(before.stdout).toContain('+++ applied DaemonSet way/agent');
    const dry = await everynode(home, ['apply', ...file, '--dry-run=server']);
    expect([dry.code, dry.stdout]).toEqual([
      0,
      expect.stringContaining('daemonset.apps/agent created (server dry run)'),
    ]);

    const applied = await everynode(home, ['apply', ...file]);
    expect(applied).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('daemonset.apps/agent created\n') as string,
    });
    expect(applied.stderr).toContain('way/agent is rolled out: 4 nodes of 4');
    expect(await everynode(home, ['diff', ...file])).toMatchObject({ code: 0, stdout: '' });
    expect((await everynode(home, ['status', ...file])).stdout).toMatch(/^way +agent +healthy +4 +4 +4 +4 /m);

    // A changed secret rolls the pods, and a removed ConfigMap goes, both without a word of the secret.
    writeFileSync(join(home, 'agent.yaml'), manifest({ namespace, configMaps: ['one'] }));
    const changed = await everynode(home, ['apply', ...file], 'hunter2-after');
    expect(changed.stdout).toContain('secret/agent-env-secrets applied\n');
    expect(changed.stdout).toContain('daemonset.apps/agent applied\n');
    expect(changed.stdout).toContain('configmap/two pruned\n');
    expect(await configMapsIn(namespace)).toEqual(['one']);
    const history = await everynode(home, ['history', 'agent', '-n', namespace]);
    expect(history.stdout).toMatch(/^1 .*\n2 \(current\) /m);

    const undone = await everynode(home, ['undo', 'agent', '-n', namespace, '--to-revision', '1']);
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining('way/agent is back at revision 1')]);
    expect((await everynode(home, ['status', '-A'])).stdout).toMatch(/^way +agent +undone-to-1/m);
    const missing = await everynode(home, ['undo', ...file, '--to-revision', '9']);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no revision 9')]);

    const deleted = await everynode(home, ['delete', ...file]);
    expect([deleted.code, deleted.stdout]).toEqual([
      0,
      expect.stringMatching(/daemonset.apps\/agent deleted[^]*namespace\/way deleted/),
    ]);
    const gone = await everynode(home, ['delete', 'agent', '-n', namespace]);
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('there is no component way/agent')]);
  }, 120_000);

  it('finishes after Ctrl-C in the middle of an apply', async () => {
    const configMaps = Array.from({ length: 40 }, (_, index) => `map-${String(index).padStart(2, '0')}`);
    const home = given({ namespace: 'cut', configMaps });
    const env = { KUBECONFIG: kubeconfig, AGENT_TOKEN: 'hunter2-before' };
    const first = cli(['apply', '-f', 'agent.yaml'], { home, env });
    first.child.stdout?.once('data', () => first.child.kill('SIGINT'));
    const cut = await first.ended;
    expect([cut.code, cut.stderr]).toEqual([130, expect.stringContaining('Apply again to finish')]);
    expect(cut.stdout).not.toContain('daemonset.apps/agent');
    expect((await everynode(home, ['status', 'agent', '-n', 'cut'])).stdout).toMatch(/^cut +agent +applying/m);
    const second = await everynode(home, ['apply', '-f', 'agent.yaml']);
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('going on after an apply')]);
    expect(await configMapsIn('cut')).toEqual(configMaps);
    expect((await everynode(home, ['status', 'agent', '-n', 'cut'])).stdout).toMatch(/^cut +agent +healthy/m);
  }, 120_000);

  it('reports fields of others, and takes them only when told to', async () => {
    const home = given({ namespace: 'foreign' });
    expect((await everynode(home, ['apply', '-f', 'agent.yaml', '--no-wait'])).code).toBe(0);
    const key = { namespace: 'foreign', name: 'agent' };
    const body = { spec: { template: { spec: { containers: [{ name: 'app', image: 'example.com/agent:bot' }] } } } };
    await client.patch(DAEMON_SETS, key, { type: 'strategic', body }, { fieldManager: 'image-bot' });
    const imageNow = async () => (await client.get(DAEMON_SETS, key)).spec.template.spec?.containers[0]?.image;

    const refused = await everynode(home, ['apply', '-f', 'agent.yaml']);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/image.*"image-bot"[^]*--force-conflicts[^]*EN_COMPONENT_APPLY_CONFLICT/);
    expect(await imageNow()).toBe('example.com/agent:bot');
    expect((await everynode(home, ['diff', '-f', 'agent.yaml'])).code).toBe(2);
    const forced = await everynode(home, ['apply', '-f', 'agent.yaml', '--force-conflicts', '--no-wait']);
    expect(forced.code).toBe(0);
    expect(await imageNow()).toBe('example.com/agent:1.0');
  }, 120_000);

  it('gives up waiting with 124 and says which node lags, and why', async () => {
    const home = given({ namespace: 'late' });
    writeFileSync(
      join(home, 'agent.yaml'),
      manifest({ namespace: 'late' }).replace('cpu: 10m', 'cpu: 900').replace('memory: 32Mi', 'memory: 32Mi, cpu: 900'),
    );
    const { code, stdout, stderr } = await everynode(home, [
      'apply',
      '-f',
      'agent.yaml',
      '--timeout',
      '2s',
      '-o',
      'json',
    ]);
    expect(code).toBe(124);
    expect(stderr).toMatch(/4 nodes \(node-\d and others\): .*Insufficient cpu/);
    expect(JSON.parse(stdout)).toMatchObject({ components: [{ name: 'agent', changed: true }] });
    expect((await everynode(home, ['status', '-n', 'late'])).stdout).toContain('Insufficient cpu');
  }, 120_000);

  it('applies two manifests in the order they need each other', async () => {
    const home = given({ namespace: 'pair', name: 'b' }, 'b.yaml');
    const text = manifest({ namespace: 'pair', name: 'a' }).replace(
      'namespace: pair',
      'namespace: { valueFrom: { kind: KubernetesDaemonSet, name: b, fieldPath: spec.namespace } }',
    );
    writeFileSync(join(home, 'a.yaml'), text.replace('one:', 'other:').replace('  createNamespace: true\n', ''));
    const other = '---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: stray }\n';
    writeFileSync(join(home, 'b.yaml'), `${readFileSync(join(home, 'b.yaml'), 'utf8')}${other}`);
    const { code, stdout, stderr } = await everynode(home, ['apply', '-f', 'a.yaml', '-f', 'b.yaml', '-o', 'name']);
    expect(stderr).toContain('note: ConfigMap stray is no KubernetesDaemonSet');
    expect([code, stderr]).toEqual([0, expect.stringContaining('pair/a is rolled out')]);
    expect(stdout.match(/daemonset.apps\/\w/g)).toEqual(['daemonset.apps/b', 'daemonset.apps/a']);
  }, 120_000);
});
