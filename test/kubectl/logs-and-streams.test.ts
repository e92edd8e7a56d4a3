import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { kubectlSuite } from '../support/kubectl-suite.ts';
import { listOf, podOf } from '../support/manifests.ts';

kubectlSuite('logs, exec and other streams', ({ ok, fails, run, namespace }) => {
  let attempts = 0;
  beforeAll(async () => {
    const containers = [
      { name: 'one', image: 'a' },
      { name: 'two', image: 'b' },
    ];
    const pods = [podOf('web'), podOf('pair', { containers }), podOf('broken', { image: 'x:non-existent' })];
    await ok(['create', '-f', '-'], { input: listOf(...pods) });
    await ok(['wait', '--for=condition=Ready', 'pod/web', 'pod/pair', '--timeout=30s']);
  });

  it.concurrent('prints the log of a pod', async () => {
    const [whole, none, stamped, cut] = await Promise.all([
      ok(['logs', 'web']),
      ok(['logs', 'web', '--tail=0']),
      ok(['logs', 'web', '--tail=1', '--timestamps']),
      ok(['logs', 'web', '--limit-bytes=4']),
    ]);
    expect(whole).toMatch(/container main .*started.*\n$/);
    expect(none).toBe('');
    expect(stamped).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z .*started.*\n$/);
    expect(cut).toHaveLength(4);
  });

  it.concurrent('chooses among containers', async () => {
    expect(await ok(['logs', 'pair', '-c', 'two'])).toContain('container two');
    const all = await ok(['logs', 'pair', '--all-containers', '--prefix']);
    // kubectl asks for them in whatever order its map yields.
    expect(all.trim().split('\n').toSorted()).toEqual([
      expect.stringMatching(/^\[pod\/pair\/one\] /),
      expect.stringMatching(/^\[pod\/pair\/two\] /),
    ]);
    expect(await fails(['logs', 'pair', '-c', 'nope'])).toContain('container nope is not valid for pod pair');
    // Newer kubectl takes the first; older ones leave the choice to the server, which wants a name.
    const { stdout, stderr } = await run(['logs', 'pair']);
    expect(`${stderr}${stdout}`).toMatch(
      /Defaulted container "one" out of: one, two\n.*container one|a container name must be specified for pod pair, choose one of: \[one two\]/s,
    );
  });

  it.concurrent('follows until the pod is gone', async () => {
    // A pod of its own in every attempt: the one before may have deleted its pod.
    const name = `followed-${(attempts += 1)}`;
    await ok(['create', '-f', '-'], { input: JSON.stringify(podOf(name)) });
    await ok(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=30s']);
    const { promise: isFollowed, resolve: printedFirst } = Promise.withResolvers<void>();
    const following = run(['logs', '-f', name], { timeoutMs: 30_000, onPrinted: () => printedFirst() });
    await Promise.race([isFollowed, following]);
    await ok(['delete', 'pod', name]);
    expect(await following).toMatchObject({ code: 0, stdout: expect.stringContaining('started') });
  });

  it.concurrent('says why there is no log', async () => {
    await eventually(
      () => run(['logs', 'broken']).then(({ stderr }) => stderr),
      /^Error from server \(BadRequest\): container "main" in pod "broken" is waiting to start: trying and failing to pull image$/m,
    );
    expect(await fails(['logs', 'nope'])).toMatch(/pods "nope" not found/);
    expect(await fails(['logs', 'web', '--previous'])).toBe(
      'Error from server (BadRequest): previous terminated container "main" in pod "web" not found',
    );
  });

  it.concurrent('says why it cannot run, attach, forward or copy, at once', async () => {
    const commands = [
      ['exec', 'web', '--', 'ls'],
      ['attach', 'web'],
      ['port-forward', 'web', ':80'],
      ['cp', 'web:/etc/hosts', `/tmp/${namespace}-hosts`],
    ];
    const complaints = await Promise.all(commands.map((args) => fails(args, { timeoutMs: 15_000 })));
    for (const complaint of complaints) expect(complaint).toContain('simulated containers have no processes');
  });

  it.concurrent('says that the kubelet of a node that is not simulated is not reached', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: `${namespace}-real` } };
    const pod = podOf('elsewhere', { nodeName: `${namespace}-real` });
    try {
      await ok(['create', '-f', '-'], { input: listOf(node, pod) });
      const commands = [
        ['logs', 'elsewhere'],
        ['logs', '-f', 'elsewhere'],
        ['exec', 'elsewhere', '--', 'ls'],
        ['attach', 'elsewhere'],
        ['get', '--raw', `/api/v1/namespaces/${namespace}/pods/elsewhere/proxy/`],
      ];
      const complaints = await Promise.all(commands.map((args) => fails(args, { timeoutMs: 15_000 })));
      for (const complaint of complaints) {
        expect(complaint).toContain(`runs on node "${namespace}-real", whose kubelet is not reached from here`);
      }
      expect(await fails(['get', '--raw', `/api/v1/nodes/${namespace}-real/proxy/pods`])).toContain(
        `the kubelet of node "${namespace}-real" is not reached from here`,
      );
    } finally {
      await run(['delete', 'pod', 'elsewhere', '--force']);
      await run(['delete', 'node', `${namespace}-real`]);
    }
  });

  it.concurrent('has no metrics, and says so', async () => {
    expect(await fails(['top', 'pods'])).toMatch(
      /Metrics API not available|the server could not find the requested resource/,
    );
    expect(await fails(['top', 'nodes'])).toMatch(
      /Metrics API not available|the server could not find the requested resource/,
    );
  });
});
