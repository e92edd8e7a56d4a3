import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { kubectlSuite } from '../support/kubectl-suite.ts';
import { configMapOf, daemonSetOf, listOf, podOf } from '../support/manifests.ts';

kubectlSuite('delete and wait', ({ ok, fails, run, file, namespace, minor }) => {
  /** Newer kubectl says where the object was. */
  const where = minor >= 34 ? ` from ${namespace} namespace` : '';
  const gone = async (what: string): Promise<void> => {
    expect(await run(['get', what, '--ignore-not-found'])).toEqual({ code: 0, stdout: '', stderr: '' });
  };

  beforeAll(async () => {
    const pods = ['plain', 'forced', 'slow', 'changed'].map((name) => podOf(name));
    // It stays long enough for kubectl to begin to wait for it: 1.20 takes a pod that is gone already for an error.
    const slow = podOf('waited', { terminationGracePeriodSeconds: 10 });
    const waited = { ...slow, metadata: { name: 'waited', annotations: { 'everynode.dev/stop-delay': '8s' } } };
    const maps = ['one', 'two', 'three', 'four', 'dry'].map((name) => configMapOf(name, {}));
    await ok(['create', '-f', '-'], { input: listOf(...pods, waited, ...maps) });
    await ok(['label', 'configmap', 'one', 'two', 'set=a']);
    await ok(['wait', 'pod', '--all', '--for=condition=Ready', '--timeout=30s']);
  });

  it.concurrent('a pod, by name, after its grace', async () => {
    expect(await ok(['delete', 'pod', 'plain'])).toBe(`pod "plain" deleted${where}\n`);
    await gone('pod/plain');
  });

  it.concurrent('a pod at once', async () => {
    const { code, stdout, stderr } = await run(['delete', 'pod', 'forced', '--grace-period=0', '--force']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `pod "forced" force deleted${where}\n` });
    expect(stderr).toMatch(/^[Ww]arning: Immediate deletion does not wait for confirmation/);
    await gone('pod/forced');
  });

  it.concurrent('a pod without waiting, then wait for its end', async () => {
    expect(await ok(['delete', 'pod', 'waited', '--wait=false'])).toBe(`pod "waited" deleted${where}\n`);
    await ok(['wait', '--for=delete', 'pod/waited', '--timeout=30s']);
    await gone('pod/waited');
  });

  it('by label, by file, by type, and only for show', async () => {
    expect(await ok(['delete', 'configmaps', '-l', 'set=a'])).toBe(
      `configmap "one" deleted${where}\nconfigmap "two" deleted${where}\n`,
    );
    expect(await ok(['delete', '-f', file('three.json', configMapOf('three', {}))])).toBe(
      `configmap "three" deleted${where}\n`,
    );
    expect(await ok(['delete', 'configmap/four'])).toBe(`configmap "four" deleted${where}\n`);
    expect(await ok(['delete', 'configmap', 'dry', '--dry-run=server'])).toBe(
      `configmap "dry" deleted${where} (server dry run)\n`,
    );
    expect(await ok(['delete', 'configmap', 'dry', '--dry-run=client'])).toBe(
      `configmap "dry" deleted${where} (dry run)\n`,
    );
    // Every namespace has the authority's certificate; it comes back by itself.
    expect(await ok(['delete', 'configmaps', '--all'])).toBe(
      `configmap "dry" deleted${where}\nconfigmap "kube-root-ca.crt" deleted${where}\n`,
    );
  });

  it('says what is not there', async () => {
    expect(await fails(['delete', 'configmap', 'nope'])).toBe(
      'Error from server (NotFound): configmaps "nope" not found',
    );
    expect(await ok(['delete', 'configmap', 'nope', '--ignore-not-found'])).toBe('');
    expect(await run(['delete', 'limitranges', '--all'])).toMatchObject({ code: 0, stdout: 'No resources found\n' });
  });

  it('with what hangs on it: background, foreground, orphan', async () => {
    const each = '{range .items[*]}{.kind}<{.metadata.ownerReferences[*].kind}>{end}';
    const pods = (name: string): Promise<string> => ok(['get', 'pods', '-l', `app=${name}`, '-o', `jsonpath=${each}`]);
    for (const cascade of ['background', 'foreground', 'orphan']) {
      await ok(['create', '-f', '-'], { input: JSON.stringify(daemonSetOf(cascade)) });
      await ok(['rollout', 'status', `daemonset/${cascade}`, '--timeout=30s']);
      expect(await pods(cascade)).toMatch(/^(Pod<DaemonSet>)+$/);
      expect(await ok(['delete', 'daemonset', cascade, `--cascade=${cascade}`, '--timeout=30s'])).toBe(
        `daemonset.apps "${cascade}" deleted${where}\n`,
      );
      await gone(`daemonset/${cascade}`);
    }
    // Foreground has waited for them; background goes on behind our back.
    expect(await pods('foreground')).toBe('');
    await eventually(() => pods('background'), /^$/);
    expect(await pods('orphan')).toMatch(/^(Pod<>)+$/);
  });

  it('waits for finalizers', async () => {
    const held = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', finalizers: ['example.com/hold'] } };
    await ok(['create', '-f', '-'], { input: JSON.stringify(held) });
    await ok(['delete', 'configmap', 'held', '--wait=false']);
    expect(await ok(['get', 'configmap', 'held', '-o', 'jsonpath={.metadata.deletionTimestamp}'])).toMatch(/Z$/);
    expect(await fails(['wait', '--for=delete', 'configmap/held', '--timeout=1s'])).toContain(
      'timed out waiting for the condition',
    );
    await ok(['patch', 'configmap', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    await gone('configmap/held');
  });

  it('a namespace with everything in it', async () => {
    const name = `ending-${minor}`;
    await ok(['create', 'namespace', name]);
    await ok(['--namespace', name, 'create', '-f', '-'], { input: JSON.stringify(daemonSetOf('inside')) });
    await ok(['--namespace', name, 'rollout', 'status', 'daemonset/inside', '--timeout=30s']);
    expect(await ok(['delete', 'namespace', name, '--timeout=60s'])).toBe(`namespace "${name}" deleted\n`);
    await gone(`namespace/${name}`);
    expect(await ok(['get', 'pods,daemonsets', '--namespace', name, '-o', 'name'])).toBe('');
  });

  it('a file that brings its own namespace: everything in it is still there to be deleted', async () => {
    const name = `own-${minor}`;
    const maps = Array.from({ length: 12 }, (_, i) => configMapOf(`part-${i}`, {}));
    const inside = [...maps, daemonSetOf('agent')];
    const path = file('whole.json', listOf({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, ...inside));
    const whole = ['--namespace', name];
    await ok([...whole, 'apply', '-f', path]);
    const { code, stdout, stderr } = await run([...whole, 'delete', '-f', path, '--timeout=60s']);
    expect({ code, errors: stderr.match(/^Error.*/gm) }).toEqual({ code: 0, errors: null });
    expect(stdout.split('\n').filter((line) => line !== '')).toHaveLength(inside.length + 1);
    await gone(`namespace/${name}`);
  });

  it('marks a namespace, which takes nothing new from then on, until all in it has gone', async () => {
    const name = `doomed-${minor}`;
    await ok(['create', 'namespace', name]);
    const held = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', finalizers: ['example.com/hold'] } };
    await ok(['--namespace', name, 'create', '-f', '-'], { input: JSON.stringify(held) });
    expect(await ok(['delete', 'namespace', name, '--wait=false'])).toBe(`namespace "${name}" deleted\n`);
    expect(await ok(['get', 'namespace', name, '-o', 'jsonpath={.status.phase}'])).toBe('Terminating');
    expect(await fails(['--namespace', name, 'create', 'configmap', 'late'])).toContain(
      `forbidden: unable to create new content in namespace ${name} because it is being terminated`,
    );
    const messages = ['get', 'namespace', name, '-o', 'jsonpath={.status.conditions[*].message}'];
    await eventually(() => ok(messages), /example.com\/hold in 1 resource instances/);
    const release = ['patch', 'configmap', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    await ok(['--namespace', name, ...release]);
    await eventually(() => ok(['get', 'namespace', name, '--ignore-not-found']), /^$/);
  });

  it.concurrent('waits for conditions and values', async () => {
    expect(await ok(['wait', '--for=condition=Ready', 'pod/slow', '--timeout=20s'])).toBe('pod/slow condition met\n');
    expect(await fails(['wait', '--for=condition=Nonsense', 'pod/slow', '--timeout=1s'])).toContain(
      'timed out waiting for the condition on pods/slow',
    );
    expect(await fails(['wait', '--for=condition=Ready', 'pod/nope', '--timeout=1s'])).toContain(
      'pods "nope" not found',
    );
  });

  it.concurrent('believes what is said of a pod after it was changed', async () => {
    await ok(['set', 'image', 'pod/changed', 'main=nginx:2']);
    expect(await ok(['wait', '--for=condition=Ready', 'pod/changed', '--timeout=20s'])).toBe(
      'pod/changed condition met\n',
    );
    const path = '{.status.containerStatuses[0].image} {.status.containerStatuses[0].restartCount}';
    await eventually(() => ok(['get', 'pod', 'changed', '-o', `jsonpath=${path}`]), /nginx:2 1$/);
  });

  it.runIf(minor >= 23).concurrent('waits for values', async () => {
    expect(await ok(['wait', '--for=jsonpath={.status.phase}=Running', 'pod/slow', '--timeout=20s'])).toBe(
      'pod/slow condition met\n',
    );
  });
});
