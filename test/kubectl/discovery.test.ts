import { expect, it } from 'vitest';
import { kubectlSuite } from '../support/kubectl-suite.ts';
import { rowsOf } from '../support/table.ts';

kubectlSuite('api-resources, explain, version, auth, config', ({ ok, fails, run, minor }) => {
  it.concurrent('lists resources with their short names', async () => {
    const rows = rowsOf(await ok(['api-resources']));
    const version = minor >= 20 ? 'APIVERSION' : 'APIGROUP';
    const row = (name: string): unknown => rows.find((each) => each['NAME'] === name);
    expect(row('pods')).toEqual({ NAME: 'pods', SHORTNAMES: 'po', [version]: 'v1', NAMESPACED: 'true', KIND: 'Pod' });
    expect(row('nodes')).toEqual({
      NAME: 'nodes',
      SHORTNAMES: 'no',
      [version]: 'v1',
      NAMESPACED: 'false',
      KIND: 'Node',
    });
    expect(row('daemonsets')).toEqual({
      NAME: 'daemonsets',
      SHORTNAMES: 'ds',
      [version]: 'apps/v1',
      NAMESPACED: 'true',
      KIND: 'DaemonSet',
    });
    expect(row('kubernetesdaemonsets')).toMatchObject({ KIND: 'KubernetesDaemonSet' });
    // Kinds of ours that no controller keeps yet are nobody's.
    for (const name of ['nodepools', 'tenants']) expect(row(name)).toBeUndefined();
    expect(row('orders')).toMatchObject({ SHORTNAMES: 'ord', NAMESPACED: 'true', KIND: 'Order' });
    expect(row('tickets')).toMatchObject({ SHORTNAMES: 'tkt', NAMESPACED: 'true', KIND: 'Ticket' });
  });

  it.concurrent('lists some of them', async () => {
    const [wide, namespaced, cluster, listable, group] = await Promise.all([
      ok(['api-resources', '-o', 'wide']),
      ok(['api-resources', '--namespaced=true', '-o', 'name']),
      ok(['api-resources', '--namespaced=false', '-o', 'name']),
      ok(['api-resources', '--verbs=list,watch', '-o', 'name']),
      ok(['api-resources', '--api-group=apps', '-o', 'name']),
    ]);
    const pods = rowsOf(wide).find((row) => row['NAME'] === 'pods');
    for (const verb of ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'])
      expect(pods?.['VERBS']).toContain(verb);
    expect(namespaced.split('\n')).toEqual(expect.arrayContaining(['pods', 'configmaps', 'daemonsets.apps']));
    expect(namespaced.split('\n')).not.toContain('nodes');
    expect(cluster.split('\n')).toEqual(
      expect.arrayContaining(['nodes', 'namespaces', 'clusterroles.rbac.authorization.k8s.io']),
    );
    expect(listable.split('\n')).not.toContain('bindings');
    expect(group).toBe(
      'controllerrevisions.apps\ndaemonsets.apps\ndeployments.apps\nreplicasets.apps\nstatefulsets.apps\n',
    );
  });

  it.concurrent('lists versions', async () => {
    const versions = (await ok(['api-versions'])).trimEnd().split('\n');
    expect(versions).toEqual(
      expect.arrayContaining(['apps/v1', 'batch/v1', 'policy/v1', 'rbac.authorization.k8s.io/v1', 'v1']),
    );
  });

  it.concurrent('explains kinds and fields', async () => {
    const [pod, field, tree] = await Promise.all([
      ok(['explain', 'pods']),
      ok(['explain', 'ds.spec.updateStrategy.rollingUpdate']),
      ok(['explain', 'daemonset', '--recursive']),
    ]);
    expect(pod).toMatch(/^KIND: +Pod\nVERSION: +v1\n/);
    for (const name of ['apiVersion', 'kind', 'metadata', 'spec', 'status'])
      expect(pod).toMatch(new RegExp(`^ +${name}\t<`, 'm'));
    expect(field).toMatch(/^ +maxSurge\t</m);
    expect(field).toMatch(/^ +maxUnavailable\t</m);
    expect(tree).toMatch(/^ +tolerations\t<\[\]/m);
    expect(tree).toMatch(/^ +maxUnavailable\t</m);
    expect(await fails(['explain', 'pod.spec.nope'])).toContain('field "nope" does not exist');
    expect(await fails(['explain', 'nope'])).toContain('the server doesn\'t have a resource type "nope"');
  });

  it.concurrent('tells versions', async () => {
    const { serverVersion } = JSON.parse(await ok(['version', '-o', 'json'])) as { serverVersion: unknown };
    expect(serverVersion).toMatchObject({
      major: '1',
      minor: '36',
      gitVersion: expect.stringMatching(/^v1\.36\.\d+\+everynode/),
      platform: expect.stringMatching(/\//),
    });
    expect(await ok(['version'])).toMatch(/Server Version: .*v1\.36/);
  });

  it.concurrent('tells where the cluster is', async () => {
    expect(await ok(['cluster-info'])).toMatch(/Kubernetes control plane.* is running at .*https:\/\/127\.0\.0\.1:\d+/);
    const config = await ok(['config', 'view']);
    expect(config).toMatch(/^current-context: everynode$/m);
    expect(config).not.toContain('PRIVATE KEY');
    expect(await ok(['config', 'current-context'])).toBe('everynode\n');
  });

  it.concurrent('answers who may do what', async () => {
    expect(await ok(['auth', 'can-i', 'create', 'pods'])).toBe('yes\n');
    expect(await ok(['auth', 'can-i', '--list'])).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
    expect(await run(['auth', 'can-i', 'create', 'pods', '--as=jane'])).toMatchObject({ code: 1 });
  });

  it.runIf(minor >= 28).concurrent('tells who one is', async () => {
    expect(await ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('kubernetes-admin');
  });
});
