import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { kubectlSuite } from '../support/kubectl-suite.ts';
import { listOf, podOf } from '../support/manifests.ts';
import { AGE, rowsOf } from '../support/table.ts';

const eventOf = (name: string, type: string, reason: string, pod: string, seconds: number): object => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name },
  involvedObject: { apiVersion: 'v1', kind: 'Pod', name: pod },
  type,
  reason,
  message: `${reason} ${pod}`,
  source: { component: 'tester', host: 'node-0' },
  count: 2,
  firstTimestamp: new Date(Date.now() - (seconds + 60) * 1000).toISOString().replace(/\.\d+/, ''),
  lastTimestamp: new Date(Date.now() - seconds * 1000).toISOString().replace(/\.\d+/, ''),
});

kubectlSuite('events', ({ ok, namespace, minor }) => {
  beforeAll(async () => {
    for (const event of [
      eventOf('e1', 'Normal', 'Started', 'web', 300),
      eventOf('e2', 'Warning', 'Failed', 'web', 30),
      eventOf('e3', 'Normal', 'Started', 'db', 10),
    ]) {
      const input = JSON.stringify({
        ...event,
        involvedObject: { ...(event as { involvedObject: object }).involvedObject, namespace },
      });
      await ok(['create', '-f', '-'], { input });
    }
  });

  it.concurrent('prints them as a table', async () => {
    const rows = rowsOf(await ok(['get', 'events', '--sort-by=.lastTimestamp']));
    expect(rows).toEqual([
      {
        'LAST SEEN': expect.stringMatching(AGE),
        TYPE: 'Normal',
        REASON: 'Started',
        OBJECT: 'pod/web',
        MESSAGE: 'Started web',
      },
      {
        'LAST SEEN': expect.stringMatching(AGE),
        TYPE: 'Warning',
        REASON: 'Failed',
        OBJECT: 'pod/web',
        MESSAGE: 'Failed web',
      },
      {
        'LAST SEEN': expect.stringMatching(AGE),
        TYPE: 'Normal',
        REASON: 'Started',
        OBJECT: 'pod/db',
        MESSAGE: 'Started db',
      },
    ]);
    const [wide] = rowsOf(await ok(['get', 'event', 'e1', '-o', 'wide']));
    expect(wide).toMatchObject({ SOURCE: 'tester, node-0', COUNT: '2', NAME: 'e1' });
  });

  it.concurrent('tells what happens to a pod', async () => {
    const input = listOf(
      podOf('lives', { nodeSelector: { 'kubernetes.io/hostname': 'node-1' } }),
      podOf('lost', { nodeSelector: { nowhere: 'yes' } }),
    );
    const apart = `${namespace}-pods`;
    await ok(['create', 'namespace', apart]);
    await ok(['--namespace', apart, 'create', '-f', '-'], { input });
    const told = (name: string): Promise<string> =>
      ok([
        '--namespace',
        apart,
        'get',
        'events',
        `--field-selector=involvedObject.name=${name}`,
        '-o',
        'jsonpath={range .items[*]}{.reportingComponent} {.reason}: {.message}{"\\n"}{end}',
      ]);
    const life = await eventually(() => told('lives'), /Scheduled(.*\n)*kubelet Started/);
    expect(life).toContain(`default-scheduler Scheduled: Successfully assigned ${apart}/lives to node-1\n`);
    expect(life).toMatch(/kubelet Pull(ing|ed): (.*\n)+kubelet Created: .*\n(.*\n)?kubelet Started: /);
    await eventually(() => told('lost'), /^default-scheduler FailedScheduling: 0\/\d nodes are available: /);
    expect(await ok(['--namespace', apart, 'describe', 'pod', 'lives'])).toMatch(
      /\nEvents:\n +Type +Reason +Age +From +Message\n(.*\n)* +Normal +Started +\S+ +kubelet +/,
    );
  });

  it.concurrent('selects them', async () => {
    const names = (selector: string): Promise<string> =>
      ok(['get', 'events', '-o', 'name', `--field-selector=${selector}`]);
    expect(await names('type=Warning')).toBe('event/e2\n');
    expect(await names('involvedObject.kind=Pod,involvedObject.name=web')).toBe('event/e1\nevent/e2\n');
    expect(await names('reason!=Started')).toBe('event/e2\n');
  });

  it.runIf(minor >= 26).concurrent('has a command of their own', async () => {
    const all = rowsOf(await ok(['events']));
    expect(all.map((row) => row['OBJECT'])).toEqual(['Pod/web', 'Pod/web', 'Pod/db']);
    const some = rowsOf(await ok(['events', '--for=pod/web', '--types=Warning']));
    expect(some.map((row) => row['REASON'])).toEqual(['Failed']);
  });

  it.concurrent('reads them through the newer group too', async () => {
    expect(
      await ok(['get', 'events.v1.events.k8s.io', 'e2', '-o', 'jsonpath={.regarding.name} {.note} {.deprecatedCount}']),
    ).toBe('web Failed web 2');
  });
});
