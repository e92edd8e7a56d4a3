/** What people see of DaemonSets through kubectl: rollout status, history, restart, undo; describe; events. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { kubectls, runKubectl } from '../support/kubectl.ts';

const newest = kubectls().at(-1);

const MANIFEST = (image: string): string => `
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
  annotations: {kubernetes.io/change-cause: "image ${image}"}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers: [{name: main, image: "${image}"}]
`;

describe.skipIf(newest === undefined)('kubectl and DaemonSets', () => {
  let cluster: TestCluster;
  const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
    if (newest === undefined) throw new Error('no kubectl');
    const run = await runKubectl(newest, cluster.kubeconfigFile, args, input === undefined ? {} : { input });
    if (run.code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${run.stderr}`);
    return run.stdout;
  };
  beforeAll(async () => {
    cluster = await startTestCluster({ groups: [{ name: 'node', count: 3 }] });
  }, 60_000);
  afterAll(() => cluster?.stop());

  it('rolls out, tells its history, restarts and goes back', async () => {
    await kubectl(['apply', '-f', '-'], MANIFEST('example.test/agent:1'));
    expect(await kubectl(['rollout', 'status', 'ds/agent', '--timeout=30s'])).toContain(
      'daemon set "agent" successfully rolled out',
    );
    await kubectl(['apply', '-f', '-'], MANIFEST('example.test/agent:2'));
    const status = await kubectl(['rollout', 'status', 'ds/agent', '--timeout=30s']);
    expect(status).toContain('daemon set "agent" successfully rolled out');
    const history = await kubectl(['rollout', 'history', 'ds/agent']);
    expect(history).toMatch(/^1 +image example.test\/agent:1$/m);
    expect(history).toMatch(/^2 +image example.test\/agent:2$/m);
    expect(await kubectl(['rollout', 'history', 'ds/agent', '--revision=1'])).toContain('example.test/agent:1');

    await kubectl(['rollout', 'undo', 'ds/agent']);
    await kubectl(['rollout', 'status', 'ds/agent', '--timeout=30s']);
    const images = await kubectl([
      'get',
      'pods',
      '-l',
      'app=agent',
      '-o',
      'jsonpath={.items[*].spec.containers[0].image}',
    ]);
    expect(images).toBe('example.test/agent:1 example.test/agent:1 example.test/agent:1');
    expect(await kubectl(['rollout', 'history', 'ds/agent'])).toMatch(/^3 +/m);

    await kubectl(['rollout', 'restart', 'ds/agent']);
    await kubectl(['rollout', 'status', 'ds/agent', '--timeout=30s']);
    expect(await kubectl(['get', 'ds', 'agent'])).toMatch(/agent +3 +3 +3 +3 +3 +<none>/);
  }, 90_000);

  it('describes with counts and events as on Kubernetes', async () => {
    const text = await kubectl(['describe', 'ds', 'agent']);
    expect(text).toContain('Desired Number of Nodes Scheduled: 3');
    expect(text).toContain('Number of Nodes Scheduled with Up-to-date Pods: 3');
    expect(text).toContain('Number of Nodes Misscheduled: 0');
    expect(text).toMatch(/Pods Status: +3 Running \/ 0 Waiting \/ 0 Succeeded \/ 0 Failed/);
    expect(text).toMatch(/Normal +SuccessfulCreate +.* daemonset-controller +Created pod: agent-/);
    expect(text).toMatch(/Normal +SuccessfulDelete +.* daemonset-controller +Deleted pod: agent-/);
  }, 30_000);
});
