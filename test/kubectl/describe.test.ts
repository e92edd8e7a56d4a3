import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { kubectlSuite } from '../support/kubectl-suite.ts';
import { daemonSetOf, listOf, podOf } from '../support/manifests.ts';
import { fieldsOf } from '../support/table.ts';

kubectlSuite('describe', ({ ok, fails, namespace, minor }) => {
  beforeAll(async () => {
    const objects = listOf(
      podOf('web', { labels: { app: 'web' }, nodeName: 'node-0' }),
      podOf('broken', { image: 'x:non-existent' }),
      daemonSetOf('agent'),
    );
    await ok(['create', '-f', '-'], { input: objects });
    await Promise.all([
      ok(['create', 'configmap', 'settings', '--from-literal=a=1']),
      ok(['create', 'secret', 'generic', 'secret', '--from-literal=password=hunter2']),
      ok(['create', 'service', 'nodeport', 'web', '--tcp=80:8080']),
      ok(['create', 'deployment', 'web', '--image=nginx', '--replicas=2']),
      ok(['create', 'job', 'once', '--image=busybox', '--', 'date']),
      ok(['create', 'serviceaccount', 'robot']),
      ok(['create', 'role', 'reader', '--verb=get,list', '--resource=pods']),
      ok(['create', 'priorityclass', `high-${minor}`, '--value=1000', '--description=for tests']),
    ]);
    await ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=30s']);
  });

  const sectionsOf = (text: string): readonly string[] =>
    [...text.matchAll(/^([A-Z][\w -]*):/gm)].map((match) => match[1] ?? '');

  it.concurrent('a node, with its pods and what they take', async () => {
    const text = await ok(['describe', 'node', 'node-0']);
    expect(fieldsOf(text)).toMatchObject({ Name: 'node-0', Roles: '<none>', Taints: '<none>', Unschedulable: 'false' });
    for (const section of [
      'Conditions',
      'Addresses',
      'Capacity',
      'Allocatable',
      'System Info',
      'Allocated resources',
    ]) {
      expect(sectionsOf(text)).toContain(section);
    }
    expect(text).toMatch(/^ {2}Ready +True .*KubeletReady/m);
    expect(text).toMatch(new RegExp(`^  ${namespace} +web +0 \\(0%\\) +0 \\(0%\\)`, 'm'));
    expect(text).toMatch(/^ {2}cpu +0 \(0%\) +0 \(0%\)$/m);
  });

  it.concurrent('a running pod', async () => {
    const text = await ok(['describe', 'pod', 'web']);
    expect(fieldsOf(text)).toMatchObject({
      Name: 'web',
      Namespace: namespace,
      Priority: '0',
      Node: expect.stringMatching(/^node-0\/10\./),
      Labels: 'app=web',
      Annotations: '<none>',
      Status: 'Running',
      IP: expect.stringMatching(/^10\./),
      'QoS Class': 'BestEffort',
      'Node-Selectors': '<none>',
    });
    expect(text).toMatch(/^ {4}State: +Running\n {6}Started: /m);
    expect(text).toMatch(/^ {4}Ready: +True$/m);
    expect(text).toMatch(
      /^ {6}\/var\/run\/secrets\/kubernetes\.io\/serviceaccount from kube-api-access-[a-z0-9]{5} \(ro\)$/m,
    );
    expect(text).toMatch(/^Tolerations: +node\.kubernetes\.io\/not-ready:NoExecute op=Exists for 300s$/m);
    for (const type of ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled']) {
      expect(text).toMatch(new RegExp(`^  ${type} +True *$`, 'm'));
    }
  });

  it.concurrent('a pod whose image cannot be had', async () => {
    const text = await eventually(
      () => ok(['describe', 'pod', 'broken']),
      /Reason: +(ImagePullBackOff|ErrImagePull)$/m,
    );
    expect(text).toMatch(/^ {4}State: +Waiting\n {6}Reason: +\w+\n {4}Ready: +False$/m);
  });

  it.concurrent('a namespace', async () => {
    const text = await ok(['describe', 'namespace', namespace]);
    expect(fieldsOf(text)).toMatchObject({
      Name: namespace,
      Labels: `kubernetes.io/metadata.name=${namespace}`,
      Status: 'Active',
    });
    expect(text).toContain('No resource quota.');
    expect(text).toContain('No LimitRange resource.');
  });

  it.concurrent('a config map and a secret, whose value stays hidden', async () => {
    const [map, secret] = await Promise.all([ok(['describe', 'cm', 'settings']), ok(['describe', 'secret', 'secret'])]);
    expect(map).toMatch(/\nData\n====\na:\n----\n1\n/);
    expect(secret).toMatch(/\nType: +Opaque\n\nData\n====\npassword: +7 bytes\n$/);
  });

  it.concurrent('a service with the addresses it was given', async () => {
    const fields = fieldsOf(await ok(['describe', 'service', 'web']));
    expect(fields).toMatchObject({
      Name: 'web',
      Selector: 'app=web',
      Type: 'NodePort',
      'IP Families': 'IPv4',
      IP: expect.stringMatching(/^10\.96\./),
      Port: expect.stringMatching(/^80-8080 +80\/TCP$/),
      TargetPort: '8080/TCP',
      NodePort: expect.stringMatching(/^80-8080 +3[0-2]\d{3}\/TCP$/),
      'Session Affinity': 'None',
      'External Traffic Policy': 'Cluster',
    });
  });

  it.concurrent('workloads', async () => {
    const [deployment, daemonSet, job] = await Promise.all([
      ok(['describe', 'deployment', 'web']),
      ok(['describe', 'daemonset', 'agent']),
      ok(['describe', 'job', 'once']),
    ]);
    expect(fieldsOf(deployment)).toMatchObject({
      Selector: 'app=web',
      Replicas: expect.stringMatching(/^2 desired \| /),
      StrategyType: 'RollingUpdate',
      RollingUpdateStrategy: '25% max unavailable, 25% max surge',
    });
    expect(fieldsOf(daemonSet)).toMatchObject({
      Name: 'agent',
      Selector: 'app=agent',
      Annotations: 'deprecated.daemonset.template.generation: 1',
      'Desired Number of Nodes Scheduled': expect.stringMatching(/^\d$/),
      'Pods Status': expect.stringMatching(/^\d Running \/ \d Waiting \/ 0 Succeeded \/ 0 Failed$/),
    });
    expect(fieldsOf(job)).toMatchObject({
      Name: 'once',
      Parallelism: '1',
      Completions: '1',
      Selector: expect.stringMatching(/controller-uid=/),
    });
  });

  it.concurrent('roles, accounts and priority classes', async () => {
    const [role, account, priority] = await Promise.all([
      ok(['describe', 'role', 'reader']),
      ok(['describe', 'sa', 'robot']),
      ok(['describe', 'pc', `high-${minor}`]),
    ]);
    expect(role).toMatch(/^ {2}pods +\[\] +\[\] +\[get list\]$/m);
    expect(fieldsOf(account)).toMatchObject({ Name: 'robot', 'Image pull secrets': '<none>' });
    expect(fieldsOf(priority)).toMatchObject({ Value: '1000', GlobalDefault: 'false', Description: 'for tests' });
  });

  it.concurrent('what is not there', async () => {
    expect(await fails(['describe', 'pod', 'nope'])).toBe('Error from server (NotFound): pods "nope" not found');
  });
});
