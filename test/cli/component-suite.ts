/** A component's way through a cluster by the command line, whatever cluster that is. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, DAEMON_SETS, SECRETS } from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { everynode as everynodeOf, given, manifest } from './component-manifest.ts';
import { cli, type Outcome } from './run-cli.ts';

export interface SuiteCluster {
  readonly kubeconfig: string;
  readonly client: Client;
}

/** The cluster has four nodes, called `node-…`. */
export function describeComponentCli(what: string, cluster: () => SuiteCluster): void {
  describe(`everynode, ${what}`, () => {
    let attempts = 0;
    const everynode = (home: string, args: readonly string[], token?: string): Promise<Outcome> =>
      everynodeOf(home, args, cluster().kubeconfig, token);

    const configMapsIn = async (namespace: string): Promise<readonly string[]> =>
      (await cluster().client.list(CONFIG_MAPS, { namespace })).items
        .map(({ metadata }) => metadata.name)
        .filter((name) => name !== 'kube-root-ca.crt' && !name.startsWith('everynode-inventory'))
        .toSorted();

    it('goes the whole way of a component', async () => {
      const namespace = 'way';
      const home = given({ namespace, configMaps: ['one', 'two'] });
      const file = ['-f', 'agent.yaml'];
      const before = await everynode(home, ['diff', ...file]);
      expect([before.code, before.stderr]).toEqual([
        1,
        'note: reads the variable AGENT_TOKEN for a secret of agent.yaml\n',
      ]);
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

      const { components } = JSON.parse((await everynode(home, ['status', ...file, '-o', 'json'])).stdout) as {
        components: { outputs: object }[];
      };
      expect(components[0]?.outputs).toMatchObject({
        namespace: 'way',
        daemonsetName: 'agent',
        desiredNumberScheduled: '4',
        currentNumberScheduled: '4',
        numberReady: '4',
        serviceAccountName: 'default',
        selectorLabels: 'planton.ai/kind=KubernetesDaemonSet,planton.ai/name=agent',
      });

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
      for (const command of ['status', 'history', 'undo', 'delete'])
        expect(await everynode(home, [command, 'agent', '-n', 'default'])).toMatchObject({
          code: 1,
          stderr: expect.stringMatching(
            /there is no component default\/agent[^]*There is one called agent in namespace way: -n way/,
          ) as string,
        });
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
      const env = { KUBECONFIG: cluster().kubeconfig, AGENT_TOKEN: 'hunter2-before' };
      const first = cli(['apply', '-f', 'agent.yaml', '--allow-env', 'AGENT_TOKEN'], { home, env });
      first.child.stdout?.once('data', () => first.child.kill('SIGINT'));
      const cut = await first.ended;
      expect([cut.code, cut.stderr]).toEqual([130, expect.stringContaining('Apply again to finish')]);
      expect(cut.stdout).not.toContain('daemonset.apps/agent');
      expect(await everynode(home, ['status', 'agent', '-n', 'cut', '--exit-code'])).toMatchObject({
        code: 4,
        stdout: expect.stringMatching(/^cut +agent +applying/m) as string,
      });
      const second = await everynode(home, ['apply', '-f', 'agent.yaml']);
      expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('going on after an apply')]);
      expect(await configMapsIn('cut')).toEqual(configMaps);
      expect((await everynode(home, ['status', 'agent', '-n', 'cut'])).stdout).toMatch(/^cut +agent +healthy/m);
    }, 120_000);

    it('stops waiting at Ctrl-C, leaves the rollout going, and the next apply finishes', async () => {
      // Another one in every attempt: what is there already is not created.
      const namespace = `waiting-${(attempts += 1)}`;
      const home = given({ namespace });
      const unfit = manifest({ namespace })
        .replace('cpu: 10m', 'cpu: 900')
        .replace('memory: 32Mi', 'memory: 32Mi, cpu: 900');
      writeFileSync(join(home, 'agent.yaml'), unfit);
      const env = { KUBECONFIG: cluster().kubeconfig, AGENT_TOKEN: 'hunter2-before' };
      const first = cli(['apply', '-f', 'agent.yaml', '--allow-env', 'AGENT_TOKEN'], { home, env });
      await first.says('Insufficient cpu');
      first.child.kill('SIGINT');
      expect(await first.ended).toMatchObject({ code: 130, stdout: expect.stringContaining('created') as string });
      writeFileSync(join(home, 'agent.yaml'), manifest({ namespace }));
      const second = await everynode(home, ['apply', '-f', 'agent.yaml']);
      expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('is rolled out: 4 nodes of 4')]);
    }, 120_000);

    it('says with a code of its own that another apply overtook it, and has codes for how a component is', async () => {
      // Another one in every attempt: the first status has nothing to show.
      const namespace = `overtaken-${(attempts += 1)}`;
      const home = given({ namespace });
      const unfit = manifest({ namespace })
        .replace('cpu: 10m', 'cpu: 900')
        .replace('memory: 32Mi', 'memory: 32Mi, cpu: 900');
      writeFileSync(join(home, 'unfit.yaml'), unfit);
      const codeOf = async (...names: readonly string[]): Promise<number | null> =>
        (await everynode(home, ['status', ...names, '-n', namespace, '--exit-code'])).code;
      expect(await codeOf()).toBe(6);
      const env = { KUBECONFIG: cluster().kubeconfig, AGENT_TOKEN: 'hunter2-before' };
      const first = cli(['apply', '-f', 'unfit.yaml', '--allow-env', 'AGENT_TOKEN'], { home, env });
      await first.says('Insufficient cpu');
      expect(await codeOf('agent')).toBe(5);
      expect((await everynode(home, ['apply', '-f', 'agent.yaml'])).code).toBe(0);
      const { code, stderr } = await first.ended;
      expect([code, stderr]).toEqual([
        3,
        expect.stringContaining(
          `error: ${namespace}/agent was overtaken: everynode has written another template since, and nodes get that one\n`,
        ),
      ]);
      expect(await codeOf()).toBe(0);
      expect(await codeOf('agent')).toBe(0);
      expect(await codeOf('agent', 'absent')).toBe(6);
      expect((await everynode(home, ['status', 'absent', '-n', namespace])).code).toBe(1);
    }, 240_000);

    it('reports fields of others, and takes them only when told to', async () => {
      const home = given({ namespace: 'foreign' });
      expect((await everynode(home, ['apply', '-f', 'agent.yaml', '--no-wait'])).code).toBe(0);
      const key = { namespace: 'foreign', name: 'agent' };
      const body = { spec: { template: { spec: { containers: [{ name: 'app', image: 'example.com/agent:bot' }] } } } };
      await cluster().client.patch(DAEMON_SETS, key, { type: 'strategic', body }, { fieldManager: 'image-bot' });
      const imageNow = async () =>
        (await cluster().client.get(DAEMON_SETS, key)).spec.template.spec?.containers[0]?.image;

      const told = await everynode(home, ['status', '-f', 'agent.yaml', '-o', 'wide']);
      expect(told.stdout).toMatch(
        /DaemonSet foreign\/agent was changed by image-bot: \.spec\.template\.spec\.containers\[name="app"\]\.image\n/,
      );
      const refused = await everynode(home, ['apply', '-f', 'agent.yaml']);
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toMatch(/image.*"image-bot"[^]*--force-conflicts[^]*EN_COMPONENT_APPLY_CONFLICT/);
      expect(await imageNow()).toBe('example.com/agent:bot');
      expect((await everynode(home, ['diff', '-f', 'agent.yaml'])).code).toBe(2);
      const forced = await everynode(home, ['apply', '-f', 'agent.yaml', '--force-conflicts', '--no-wait']);
      expect(forced.code).toBe(0);
      expect((await everynode(home, ['status', '-f', 'agent.yaml'])).stdout).not.toContain('changed');
      expect(await imageNow()).toBe('example.com/agent:1.0');
    }, 120_000);

    it('names the flag that would have its way', async () => {
      const home = given({ namespace: 'flags' });
      const made = await everynode(home, ['apply', '-f', 'agent.yaml', '--mode', 'compatible', '--no-wait']);
      expect(made.code).toBe(0);
      const other = await everynode(home, ['apply', '-f', 'agent.yaml']);
      expect([other.code, other.stderr]).toEqual([
        1,
        expect.stringMatching(/spec\.selector would change[^]*--recreate/),
      ]);
      const stray = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'two', namespace: 'flags' } } as const;
      await cluster().client.create(CONFIG_MAPS, stray);
      writeFileSync(join(home, 'agent.yaml'), manifest({ namespace: 'flags', configMaps: ['one', 'two'] }));
      const compatible = ['-f', 'agent.yaml', '--mode', 'compatible', '--no-wait'];
      const refused = await everynode(home, ['apply', '-f', 'agent.yaml']);
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringMatching(/ConfigMap flags\/two [^]*\(--adopt unowned\)/),
      ]);
      expect(await everynode(home, ['apply', ...compatible, '--adopt', 'unowned'])).toMatchObject({ code: 0 });
    }, 120_000);

    it('warns of Secrets and ConfigMaps that pods name and that are not there', async () => {
      const home = given({ namespace: 'lacking' });
      const naming = manifest({ namespace: 'lacking' }).replace(
        'TOKEN: env:AGENT_TOKEN',
        'TOKEN: { secretRef: { name: absent, key: a } }\n          ME: { secretRef: { name: present, key: a } }',
      );
      writeFileSync(join(home, 'agent.yaml'), naming);
      const linted = await everynode(home, ['lint', '-f', 'agent.yaml', '--against-cluster']);
      expect(linted.stdout).toMatch(
        /agent\.yaml:16:.*warning: .*Secret lacking\/absent does not exist.*MISSING_OBJECT/,
      );
      expect((await everynode(home, ['lint', '-f', 'agent.yaml'])).stdout).not.toContain('absent');
      const first = await everynode(home, ['apply', '-f', 'agent.yaml', '--no-wait']);
      expect(first.stderr).toContain('warning: Secret lacking/absent does not exist; pods will wait until it does\n');
      const metadata = { name: 'present', namespace: 'lacking' };
      await cluster().client.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata,
        stringData: { a: 'hunter2-before' },
      });
      const second = await everynode(home, ['apply', '-f', 'agent.yaml', '--no-wait']);
      expect(second).toMatchObject({ code: 0, stderr: expect.not.stringContaining('present') as string });
      expect(second.stderr).toContain('lacking/absent');
    }, 120_000);

    it('warns where no node is the right one', async () => {
      const home = given({ namespace: 'nowhere' });
      const picky = manifest({ namespace: 'nowhere' }).replace(
        '  container:\n',
        '  nodeSelector: { disk: ssd }\n  container:\n',
      );
      writeFileSync(join(home, 'agent.yaml'), picky);
      const why = 'warning: nowhere/agent runs nowhere: none of 4 nodes matches its nodeSelector disk=ssd\n';
      const applied = await everynode(home, ['apply', '-f', 'agent.yaml']);
      expect([applied.code, applied.stderr]).toEqual([0, expect.stringContaining(why)]);
      const { code, stdout } = await everynode(home, ['status', '-f', 'agent.yaml']);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^nowhere +agent +no-nodes +0 /m)]);
      expect(stdout).toContain(why);
    }, 120_000);

    it('gives up waiting with 124 and says which node lags, and why', async () => {
      const home = given({ namespace: 'late' });
      writeFileSync(
        join(home, 'agent.yaml'),
        manifest({ namespace: 'late' })
          .replace('cpu: 10m', 'cpu: 900')
          .replace('memory: 32Mi', 'memory: 32Mi, cpu: 900'),
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
}
