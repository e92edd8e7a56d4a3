/** What people see of workloads through kubectl: create, rollout, scale, expose, describe, in old and new versions of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { kubectls, minorOf, runKubectl } from '../support/kubectl.ts';

const all = kubectls();
const versions = [...new Set([all[0], all.at(-1)])].filter((each) => each !== undefined);

const MANIFEST = (name: string, image: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  annotations: {kubernetes.io/change-cause: "image ${image}"}
spec:
  replicas: 3
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers: [{name: main, image: "${image}", ports: [{containerPort: 80}]}]
`;

const STATEFUL = (name: string): string => `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: ${name}}
spec:
  replicas: 2
  serviceName: ${name}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: main, image: "example.test/db:1"}]}
`;

describe.skipIf(versions.length === 0)('kubectl and workloads', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster({ groups: [{ name: 'node', count: 3 }] });
  }, 60_000);
  afterAll(() => cluster?.stop());

  for (const [index, version] of versions.entries()) {
    const namespace = `walk-${index}`;
    const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
      const run = await runKubectl(
        version,
        cluster.kubeconfigFile,
        ['-n', namespace, ...args],
        input === undefined ? {} : { input },
      );
      if (run.code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${run.stderr}`);
      return run.stdout;
    };
    const images = (name: string): Promise<string> =>
      kubectl(['get', 'pods', '-l', `app=${name}`, '-o', 'jsonpath={.items[*].spec.containers[0].image}']);

    // Versions run beside each other, the tests of one in their order.
    describe.concurrent(`version ${version.version}`, () => {
      describe('walks through workloads', { concurrent: false }, () => {
        it('rolls a Deployment out, tells its history, goes back, restarts, pauses and resumes', async () => {
          await kubectl(['create', 'namespace', namespace]);
          await kubectl(['apply', '-f', '-'], MANIFEST('web', 'example.test/web:1'));
          expect(await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s'])).toContain(
            'deployment "web" successfully rolled out',
          );
          await kubectl(['apply', '-f', '-'], MANIFEST('web', 'example.test/web:2'));
          expect(await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s'])).toContain(
            'successfully rolled out',
          );
          const history = await kubectl(['rollout', 'history', 'deployment/web']);
          expect(history).toMatch(/^1 +image example.test\/web:1$/m);
          expect(history).toMatch(/^2 +image example.test\/web:2$/m);
          expect(await kubectl(['rollout', 'history', 'deployment/web', '--revision=1'])).toContain(
            'example.test/web:1',
          );

          await kubectl(['rollout', 'undo', 'deployment/web']);
          await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s']);
          expect(new Set((await images('web')).split(' '))).toEqual(new Set(['example.test/web:1']));
          expect(await kubectl(['rollout', 'history', 'deployment/web'])).toMatch(/^3 +image example.test\/web:1$/m);

          await kubectl(['rollout', 'pause', 'deployment/web']);
          await kubectl(['set', 'image', 'deployment/web', 'main=example.test/web:4']);
          await kubectl(['rollout', 'resume', 'deployment/web']);
          await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s']);
          await kubectl(['rollout', 'restart', 'deployment/web']);
          await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s']);
          await kubectl(['wait', '--for=condition=Available', 'deployment/web', '--timeout=30s']);
          expect(await kubectl(['get', 'deployment', 'web'])).toMatch(/web +3\/3 +3 +3 /);
        }, 120_000);

        it('scales, and describes with conditions and events as on Kubernetes', async () => {
          expect(await kubectl(['scale', 'deployment/web', '--replicas=5'])).toContain('web scaled');
          await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s']);
          const text = await kubectl(['describe', 'deployment', 'web']);
          expect(text).toMatch(/Replicas: +5 desired \| 5 updated \| 5 total \| 5 available \| 0 unavailable/);
          expect(text).toMatch(/Available +True +MinimumReplicasAvailable/);
          expect(text).toMatch(/Progressing +True +NewReplicaSetAvailable/);
          expect(text).toMatch(
            /Normal +ScalingReplicaSet +.* deployment-controller +Scaled up replica set web-[a-z0-9]+ from 0 to 3/,
          );
          expect(await kubectl(['get', 'replicasets'])).toMatch(/web-[a-z0-9]+ +5 +5 +5 /);
        }, 60_000);

        it('exposes a Deployment', async () => {
          await kubectl(['create', 'deployment', 'made', '--image=example.test/made:1']);
          await kubectl(['rollout', 'status', 'deployment/made', '--timeout=30s']);
          await kubectl(['expose', 'deployment', 'web', '--port=80']);
          for (let tries = 0; ; tries += 1) {
            const text = await kubectl([
              'get',
              'endpointslices',
              '-l',
              'kubernetes.io/service-name=web',
              '-o',
              'jsonpath={.items[*].endpoints[*].addresses}',
            ]).catch(() => '');
            if (text.split('.').length === 5 * 3 + 1) break;
            if (tries > 30) throw new Error(`not all addresses came: ${text}`);
          }
          expect(await kubectl(['describe', 'service', 'web'])).toMatch(/Endpoints: +\d+\.\d+\.\d+\.\d+:80/);
        }, 60_000);

        it('runs Jobs and CronJobs', async () => {
          await kubectl(['create', 'job', 'once', '--image=example.test/once:1']);
          await kubectl(['wait', '--for=condition=Complete', 'job/once', '--timeout=30s']);
          expect(await kubectl(['get', 'job', 'once'])).toMatch(/once +(Complete +)?1\/1 /);
          expect(await kubectl(['describe', 'job', 'once'])).toMatch(
            /Normal +Completed +.* job-controller +Job completed/,
          );
          // The older ones know only a version of CronJobs that is no longer served.
          if (minorOf(version) < 21) return;
          await kubectl(['create', 'cronjob', 'often', '--image=example.test/often:1', '--schedule=*/5 * * * *']);
          await kubectl(['create', 'job', 'by-hand', '--from=cronjob/often']);
          await kubectl(['wait', '--for=condition=Complete', 'job/by-hand', '--timeout=30s']);
        }, 60_000);

        it('rolls a StatefulSet out and back', async () => {
          await kubectl(['apply', '-f', '-'], STATEFUL('db'));
          await kubectl(['rollout', 'status', 'statefulset/db', '--timeout=30s']);
          await kubectl(['set', 'image', 'statefulset/db', 'main=example.test/db:2']);
          await kubectl(['rollout', 'status', 'statefulset/db', '--timeout=30s']);
          expect(await images('db')).toBe('example.test/db:2 example.test/db:2');
          await kubectl(['rollout', 'undo', 'statefulset/db']);
          await kubectl(['rollout', 'status', 'statefulset/db', '--timeout=30s']);
          expect(await images('db')).toBe('example.test/db:1 example.test/db:1');
          expect(await kubectl(['get', 'statefulset', 'db'])).toMatch(/db +2\/2 /);
        }, 90_000);

        it('deletes everything with its namespace', async () => {
          await kubectl(['delete', 'namespace', namespace, '--timeout=60s']);
        }, 90_000);
      });
    });
  }
});
