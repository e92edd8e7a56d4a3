import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { kubectlSuite } from '../support/kubectl-suite.ts';
import { configMapOf, listOf, podOf } from '../support/manifests.ts';
import { AGE, rowsOf, tablesOf } from '../support/table.ts';

const age = expect.stringMatching(AGE) as unknown as string;
const names = (text: string): readonly string[] => rowsOf(text).map((row) => row['NAME'] ?? '');

kubectlSuite('get', (session) => {
  const { ok, fails, run, namespace } = session;

  beforeAll(async () => {
    const objects = listOf(
      podOf('front', { labels: { app: 'web', tier: 'front' } }),
      podOf('back', { labels: { app: 'web', tier: 'back' } }),
      podOf('broken', { labels: { app: 'db' }, image: 'db:non-existent' }),
      configMapOf('settings', { a: '1', b: '2' }),
    );
    await ok(['create', '-f', '-'], { input: objects });
    await ok(['wait', '--for=condition=Ready', 'pod/front', 'pod/back', '--timeout=20s']);
    await ok(['create', 'service', 'clusterip', 'web', '--tcp=80:8080']);
  });

  it.concurrent('prints pods as a table', async () => {
    const pods = await eventually(() => ok(['get', 'pods']), /ErrImagePull|ImagePullBackOff/);
    expect(rowsOf(pods)).toEqual([
      { NAME: 'back', READY: '1/1', STATUS: 'Running', RESTARTS: '0', AGE: age },
      // As on any node, it changes between the failed attempt and the wait for the next.
      {
        NAME: 'broken',
        READY: '0/1',
        STATUS: expect.stringMatching(/^(ErrImagePull|ImagePullBackOff)$/),
        RESTARTS: '0',
        AGE: age,
      },
      { NAME: 'front', READY: '1/1', STATUS: 'Running', RESTARTS: '0', AGE: age },
    ]);
  });

  it.concurrent('prints more with -o wide', async () => {
    const [row] = rowsOf(await ok(['get', 'pod', 'front', '-o', 'wide']));
    expect(row).toEqual({
      NAME: 'front',
      READY: '1/1',
      STATUS: 'Running',
      RESTARTS: '0',
      AGE: age,
      IP: expect.stringMatching(/^10(\.\d+){3}$/),
      NODE: expect.stringMatching(/^node-\d$/),
      'NOMINATED NODE': '<none>',
      'READINESS GATES': '<none>',
    });
  });

  it.concurrent('prints nodes, short and wide', async () => {
    const [[row], [wide]] = await Promise.all([
      ok(['get', 'node', 'node-0']).then(rowsOf),
      ok(['get', 'no/node-0', '-o', 'wide']).then(rowsOf),
    ]);
    const short = {
      NAME: 'node-0',
      STATUS: 'Ready',
      ROLES: '<none>',
      AGE: age,
      VERSION: expect.stringMatching(/^v1\.36/),
    };
    expect(row).toEqual(short);
    expect(wide).toEqual({
      ...short,
      'INTERNAL-IP': expect.stringMatching(/^10\./),
      'EXTERNAL-IP': '<none>',
      'OS-IMAGE': expect.stringMatching(/./),
      'KERNEL-VERSION': expect.stringMatching(/./),
      'CONTAINER-RUNTIME': expect.stringMatching(/:\/\//),
    });
  });

  it.concurrent('prints objects whole as JSON and YAML', async () => {
    const [json, yaml, list] = await Promise.all([
      ok(['get', 'configmap', 'settings', '-o', 'json']),
      ok(['get', 'configmap', 'settings', '-o', 'yaml']),
      ok(['get', 'configmaps', '-o', 'json']),
    ]);
    const object = JSON.parse(json) as {
      metadata: { resourceVersion: string; creationTimestamp: string; uid: string };
    };
    expect(object).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace },
      data: { a: '1', b: '2' },
    });
    const { resourceVersion, creationTimestamp, uid } = object.metadata;
    // Before 1.21 kubectl printed who manages which field, unasked.
    expect(yaml.replace(/ {2}managedFields:\n(?: {2}[- ].*\n)+?(?= {2}name:)/, '')).toBe(
      `apiVersion: v1\ndata:\n  a: "1"\n  b: "2"\nkind: ConfigMap\nmetadata:\n  creationTimestamp: "${creationTimestamp}"\n  name: settings\n  namespace: ${namespace}\n  resourceVersion: "${resourceVersion}"\n  uid: ${uid}\n`,
    );
    expect(JSON.parse(list)).toMatchObject({ apiVersion: 'v1', kind: 'List', items: expect.arrayContaining([object]) });
  });

  it.concurrent('prints parts: names, JSONPath, columns, templates', async () => {
    const pods = ['get', 'pods', '--selector=app=web'];
    const outputs = await Promise.all(
      [
        ['-o', 'name'],
        ['-o', 'jsonpath={range .items[*]}{.metadata.name}={.spec.containers[0].image}{"\\n"}{end}'],
        ['-o', 'jsonpath={.items[?(@.metadata.labels.tier=="front")].metadata.name}'],
        ['-o', 'custom-columns=POD:.metadata.name,PHASE:.status.phase'],
        ['-o', 'custom-columns=POD:.metadata.name', '--no-headers'],
        ['-o', 'go-template={{range .items}}{{.metadata.name}} {{end}}'],
      ].map((output) => ok([...pods, ...output])),
    );
    expect(outputs).toEqual([
      'pod/back\npod/front\n',
      'back=nginx\nfront=nginx\n',
      'front',
      'POD     PHASE\nback    Running\nfront   Running\n',
      'back\nfront\n',
      'back front ',
    ]);
  });

  it.concurrent('shows labels and sorts', async () => {
    const [labels, column, byName, byTier] = await Promise.all([
      ok(['get', 'pods', '-l', 'app=web', '--show-labels']),
      ok(['get', 'pods', '-l', 'app=web', '-L', 'tier']),
      ok(['get', 'pods', '--sort-by=.metadata.name']),
      ok(['get', 'pods', '-l', 'app=web', '--sort-by={.metadata.labels.tier}', '--no-headers']),
    ]);
    const zone = /^(.*),topology\.kubernetes\.io\/zone=zone-\w$/;
    expect(rowsOf(labels).map((row) => zone.exec(row['LABELS'] ?? '')?.[1])).toEqual([
      'app=web,tier=back',
      'app=web,tier=front',
    ]);
    expect(rowsOf(column).map((row) => row['TIER'])).toEqual(['back', 'front']);
    expect(names(byName)).toEqual(['back', 'broken', 'front']);
    expect(byTier.split('\n').map((line) => line.split(' ')[0])).toEqual(['back', 'front', '']);
  });

  it.concurrent('selects by labels', async () => {
    const selected = async (selector: string): Promise<readonly string[]> =>
      names(await ok(['get', 'pods', '-l', selector]));
    const answers = await Promise.all(
      ['app=web', 'app!=web', 'tier', '!tier', 'tier in (front,x)', 'app notin (web)'].map(selected),
    );
    expect(answers).toEqual([['back', 'front'], ['broken'], ['back', 'front'], ['broken'], ['front'], ['broken']]);
  });

  it.concurrent('selects by fields', async () => {
    const selected = async (selector: string): Promise<readonly string[]> =>
      names(await ok(['get', 'pods', `--field-selector=${selector}`]));
    const answers = await Promise.all(
      ['metadata.name=front', 'metadata.name!=front', 'status.phase=Pending'].map(selected),
    );
    expect(answers).toEqual([['front'], ['back', 'broken'], ['broken']]);
    expect(await fails(['get', 'pods', '--field-selector=spec.bogus=x'])).toBe(
      'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", field selector "spec.bogus=x": field label not supported: spec.bogus',
    );
  });

  it.concurrent('lists several kinds, each in its table', async () => {
    const [pods, services, maps] = tablesOf(await ok(['get', 'pods,svc,cm']));
    expect(pods?.map((row) => row['NAME'])).toEqual(['pod/back', 'pod/broken', 'pod/front']);
    expect(services).toEqual([
      {
        NAME: 'service/web',
        TYPE: 'ClusterIP',
        'CLUSTER-IP': expect.stringMatching(/^10\.96\.\d+\.\d+$/),
        'EXTERNAL-IP': '<none>',
        'PORT(S)': '80/TCP',
        AGE: age,
      },
    ]);
    expect(maps).toEqual([
      { NAME: 'configmap/kube-root-ca.crt', DATA: '1', AGE: age },
      { NAME: 'configmap/settings', DATA: '2', AGE: age },
    ]);
    const [pod, node] = tablesOf(await ok(['get', 'pod/front', 'node/node-0']));
    expect([pod?.[0]?.['NAME'], node?.[0]?.['NAME']]).toEqual(['pod/front', 'node/node-0']);
  });

  it.concurrent('lists over all namespaces, and a page at a time', async () => {
    const all = rowsOf(await ok(['get', 'pods', '-A', '--chunk-size=1']));
    expect(all.filter((row) => row['NAMESPACE'] === namespace).map((row) => row['NAME'])).toEqual([
      'back',
      'broken',
      'front',
    ]);
  });

  it.concurrent('answers get all with the kinds of that category', async () => {
    const tables = tablesOf(await ok(['get', 'all']));
    expect(tables.flat().map((row) => row['NAME'])).toEqual(['pod/back', 'pod/broken', 'pod/front', 'service/web']);
  });

  it.concurrent('says when there is nothing', async () => {
    expect(await run(['get', 'secrets'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `No resources found in ${namespace} namespace.\n`,
    });
    expect(await run(['get', 'pods', 'nope', '--ignore-not-found'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it.concurrent('names what is missing and prints the rest', async () => {
    const { code, stdout, stderr } = await run(['get', 'pods', 'front', 'nope']);
    expect(code).toBe(1);
    expect(names(stdout)).toEqual(['front']);
    expect(stderr).toBe('Error from server (NotFound): pods "nope" not found\n');
  });

  it.concurrent('gives the raw answer', async () => {
    const [pod, health] = await Promise.all([
      ok(['get', '--raw', `/api/v1/namespaces/${namespace}/pods/front`]),
      ok(['get', '--raw', '/readyz']),
    ]);
    expect(JSON.parse(pod)).toMatchObject({ kind: 'Pod', metadata: { name: 'front' } });
    expect(health).toBe('ok');
  });

  describe('--watch', () => {
    /** Watches until it has seen the end; the changes are made once it has begun. */
    const watch = async (args: readonly string[], end: RegExp, change: () => Promise<unknown>): Promise<string> => {
      let changed: Promise<unknown> = Promise.resolve();
      const once = { stderr: /watch=true/, call: () => void (changed = change()) };
      const { stdout } = await run(['get', ...args, '-v=6'], { once, interruptedAt: end, timeoutMs: 50_000 });
      await changed;
      return stdout;
    };

    it.concurrent('prints what is there, then every change', async () => {
      const stdout = await watch(
        ['configmaps', '-w', '--field-selector=metadata.name=watched'],
        /watched +2/,
        async () => {
          await ok(['create', 'configmap', 'watched', '--from-literal=a=1']);
          await ok(['patch', 'configmap', 'watched', '-p', '{"data":{"b":"2"}}']);
        },
      );
      expect(rowsOf(stdout)).toEqual([
        { NAME: 'watched', DATA: '1', AGE: age },
        { NAME: 'watched', DATA: '2', AGE: age },
      ]);
    });

    it.concurrent('prints changes alone', async () => {
      await ok(['create', 'configmap', 'changing', '--from-literal=a=1']);
      const selected = '--field-selector=metadata.name=changing';
      const stdout = await watch(
        ['configmaps', '--watch-only', '-o', 'name', selected],
        /(configmap.changing\n){2}/,
        async () => {
          await ok(['label', 'configmap', 'changing', 'a=b']);
          await ok(['delete', 'configmap', 'changing']);
        },
      );
      expect(stdout).toBe('configmap/changing\nconfigmap/changing\n');
    });

    it.concurrent('says of each change what it was', async () => {
      const path = 'jsonpath={.type} {.object.metadata.name}{"\\n"}';
      const nothing = ['get', 'configmap', 'shortlived', '-w', '--output-watch-events', '-o', path];
      expect(await fails(nothing)).toContain('configmaps "shortlived" not found');
      await ok(['create', 'configmap', 'shortlived']);
      const stdout = await watch(['configmap', 'shortlived', '-w', '--output-watch-events'], /DELETED/, async () => {
        await ok(['label', 'configmap', 'shortlived', 'x=y']);
        await ok(['delete', 'configmap', 'shortlived']);
      });
      expect(rowsOf(stdout).map((row) => row['EVENT'])).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    });
  });
});
