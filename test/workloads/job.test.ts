import { afterEach, describe, expect, it } from 'vitest';
import { JOBS, PODS } from '../../src/core/api/registry/resources.ts';
import type { Job, JobSpec } from '../../src/core/api/types/batch-v1.ts';
import type { PodTemplateSpec } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { inWeather } from '../daemonset/bad-weather.ts';
import { createWorkloadWorld, key, type WorkloadWorld, type WorkloadWorldOptions } from './world.ts';

let house: WorkloadWorld;
afterEach(() => house?.stop());

const begin = async (options: WorkloadWorldOptions = {}): Promise<WorkloadWorld> =>
  (house = await createWorkloadWorld(options));

const template = (annotations: { readonly [key: string]: string } = {}, restartPolicy = 'Never'): PodTemplateSpec => ({
  metadata: { labels: { app: 'web' }, annotations } as unknown as NonNullable<PodTemplateSpec['metadata']>,
  spec: { restartPolicy, containers: [{ name: 'main', image: 'example.test/work:1' }] },
});

const FAILS = { 'everynode.dev/exit-code': '3' };
const LASTS = { 'everynode.dev/exit-after': '1h' };

const job = (spec: Partial<JobSpec> = {}, name = 'web'): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'default' },
  spec: { template: template(), ...spec },
});

const read = (name = 'web'): Promise<Stored<Job>> => house.client.get(JOBS, key(name));
const conditions = async (): Promise<readonly string[]> =>
  ((await read()).status?.conditions ?? [])
    .filter(({ status }) => status === 'True')
    .map(({ type, reason }) => `${type} ${reason}`);
const isOver = async (): Promise<boolean> => (await conditions()).some((text) => /^(Complete|Failed) /.test(text));
const ended = (withinMs?: number): Promise<void> => house.eventually(isOver, withinMs);

describe('a Job', () => {
  it('runs one pod to its end and counts it once', async () => {
    await begin();
    await house.client.create(JOBS, job());
    await ended();
    const { status } = await read();
    expect(status).toMatchObject({ succeeded: 1, ready: 0, terminating: 0 });
    expect(status?.active ?? 0).toBe(0);
    expect(status?.completionTime).toBeDefined();
    expect(status?.uncountedTerminatedPods ?? {}).toEqual({});
    expect(await conditions()).toEqual(['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached']);
    const pods = await house.pods();
    expect(pods).toHaveLength(1);
    expect(pods[0]?.metadata.finalizers ?? []).toEqual([]);
    expect(pods[0]?.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
    expect(await house.events('job-controller')).toEqual([
      `Normal SuccessfulCreate Created pod: ${pods[0]?.metadata.name}`,
      'Normal Completed Job completed',
    ]);
  });

  it('keeps so many pods running as it may, until all completions are there', async () => {
    await begin();
    await house.client.create(JOBS, job({ completions: 7, parallelism: 3 }));
    let most = 0;
    await house.eventually(async () => {
      const pods = await house.pods();
      most = Math.max(most, pods.filter(({ status }) => status?.phase !== 'Succeeded').length);
      return isOver();
    });
    expect(most).toBe(3);
    expect((await read()).status?.succeeded).toBe(7);
    expect(await house.pods()).toHaveLength(7);
  });

  it('without completions ends when one pod succeeds and the others are through', async () => {
    await begin();
    await house.client.create(JOBS, job({ parallelism: 3 }));
    await ended();
    expect((await read()).status?.succeeded).toBe(3);
  });

  it('gives up after so many failures, waiting longer after each', async () => {
    await begin();
    await house.client.create(JOBS, job({ template: template(FAILS), backoffLimit: 2 }));
    const started = house.clock.monotonic();
    await ended();
    expect(await conditions()).toEqual(['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded']);
    expect((await read()).status?.failed).toBe(3);
    expect(await house.pods()).toHaveLength(3);
    expect(house.clock.monotonic() - started).toBeGreaterThan(29_000);
    expect((await house.events('job-controller')).at(-1)).toBe(
      'Warning BackoffLimitExceeded Job has reached the specified backoff limit',
    );
  });

  it('counts restarts in place against the limit', async () => {
    await begin();
    await house.client.create(JOBS, job({ template: template(FAILS, 'OnFailure'), backoffLimit: 1 }));
    await ended();
    expect(await conditions()).toContain('Failed BackoffLimitExceeded');
  });

  it('ends at its deadline, and its pods with it', async () => {
    await begin();
    await house.client.create(
      JOBS,
      job({ template: template(LASTS), activeDeadlineSeconds: 20, parallelism: 2, completions: 2 }),
    );
    await house.settle(15_000);
    expect((await read()).status).toMatchObject({ active: 2, ready: 2 });
    await house.settle(10_000);
    expect(await conditions()).toEqual(['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded']);
    expect((await read()).status?.failed).toBe(2);
    expect(await house.pods()).toHaveLength(0);
  });

  it('gives each pod its index', async () => {
    await begin();
    await house.client.create(JOBS, job({ completions: 4, parallelism: 2, completionMode: 'Indexed' }));
    await ended();
    expect((await read()).status).toMatchObject({ completedIndexes: '0-3', succeeded: 4 });
    const pods = (await house.pods()).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    expect(pods.map(({ spec }) => spec.hostname)).toEqual(['web-0', 'web-1', 'web-2', 'web-3']);
    expect(pods[2]?.metadata.name).toMatch(/^web-2-[a-z0-9]{5}$/);
    expect(pods[2]?.metadata.labels?.['batch.kubernetes.io/job-completion-index']).toBe('2');
    expect(pods[2]?.spec.containers[0]?.env?.[0]?.name).toBe('JOB_COMPLETION_INDEX');
  });

  it('gives up on an index alone where failures count per index', async () => {
    await begin();
    await house.client.create(
      JOBS,
      job({
        completions: 2,
        parallelism: 2,
        completionMode: 'Indexed',
        backoffLimitPerIndex: 1,
        template: template(LASTS),
      }),
    );
    await house.eventually(async () => (await read()).status?.ready === 2);
    const fail = async (): Promise<void> => {
      const pods = await house.pods('batch.kubernetes.io/job-completion-index=1');
      const pod = pods.find(({ status }) => status?.phase === 'Running');
      if (pod === undefined) throw new Error('no pod runs');
      await house.client.patch(
        PODS,
        key(pod.metadata.name),
        { type: 'merge', body: { status: { phase: 'Failed' } } },
        { subresource: 'status' },
      );
    };
    await fail();
    await house.eventually(
      async () =>
        (await house.pods('batch.kubernetes.io/job-completion-index=1')).some(
          ({ status }) => status?.phase === 'Running',
        ),
      30_000,
    );
    await fail();
    await house.settle(2000);
    expect((await read()).status).toMatchObject({ failedIndexes: '1', active: 1 });
    const [other] = await house.pods('batch.kubernetes.io/job-completion-index=0');
    await house.client.patch(
      PODS,
      key(other?.metadata.name ?? ''),
      { type: 'merge', body: { status: { phase: 'Succeeded' } } },
      { subresource: 'status' },
    );
    await ended();
    expect(await conditions()).toEqual(['FailureTarget FailedIndexes', 'Failed FailedIndexes']);
  });

  it('suspends and resumes', async () => {
    await begin();
    await house.client.create(JOBS, job({ template: template(LASTS), suspend: true }));
    await house.settle();
    expect(await house.pods()).toHaveLength(0);
    expect(await conditions()).toEqual(['Suspended JobSuspended']);
    await house.client.patch(JOBS, key(), { type: 'merge', body: { spec: { suspend: false } } });
    await house.eventually(async () => (await read()).status?.ready === 1);
    expect(await conditions()).toEqual([]);
    await house.client.patch(JOBS, key(), { type: 'merge', body: { spec: { suspend: true } } });
    await house.settle();
    expect(await house.pods()).toHaveLength(0);
    const { status } = await read();
    expect([status?.active ?? 0, status?.failed ?? 0, status?.startTime]).toEqual([0, 0, undefined]);
    expect((await house.events('job-controller')).filter((text) => /Suspended|Resumed/.test(text))).toEqual([
      'Normal Suspended Job suspended',
      'Normal Resumed Job resumed',
    ]);
  });

  it('goes some time after it has finished', async () => {
    await begin({ garbageCollector: true });
    await house.client.create(JOBS, job({ ttlSecondsAfterFinished: 30 }));
    await ended();
    await house.settle(25_000);
    await read();
    await house.settle(10_000);
    await expect(read()).rejects.toThrow('not found');
    expect(await house.pods()).toHaveLength(0);
  });

  it('fails at once when its failure policy says so', async () => {
    await begin();
    const podFailurePolicy = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } }] };
    await house.client.create(JOBS, job({ template: template(FAILS), podFailurePolicy }));
    await ended();
    const { status } = await read();
    expect(status?.conditions?.find(({ type }) => type === 'Failed')).toMatchObject({
      reason: 'PodFailurePolicy',
      message: expect.stringMatching(
        /^Container main for pod default\/web-[a-z0-9]{5} failed with exit code 3 matching FailJob rule at index 0$/,
      ),
    });
  });

  it('succeeds early when its success policy says so', async () => {
    await begin();
    const spec = {
      completions: 3,
      parallelism: 1,
      completionMode: 'Indexed',
      successPolicy: { rules: [{ succeededCount: 1 }] },
    };
    await house.client.create(JOBS, job(spec));
    await ended();
    expect(await conditions()).toEqual(['SuccessCriteriaMet SuccessPolicy', 'Complete SuccessPolicy']);
  });

  it('replaces a pod that somebody deleted', async () => {
    await begin();
    await house.client.create(JOBS, job({ template: template(LASTS) }));
    await house.eventually(async () => (await read()).status?.ready === 1);
    const [first] = await house.pods();
    await house.client.delete(PODS, key(first?.metadata.name ?? ''));
    await house.eventually(async () =>
      (await house.pods()).some(({ metadata }) => metadata.uid !== first?.metadata.uid),
    );
    await house.eventually(async () => (await house.pods()).length === 1);
    expect((await read()).status?.failed).toBe(1);
  });

  it('lets go of its pods when it is deleted', async () => {
    await begin({ garbageCollector: true });
    await house.client.create(JOBS, job({ template: template(LASTS), parallelism: 3, completions: 3 }));
    await house.eventually(async () => (await read()).status?.ready === 3);
    await house.client.delete(JOBS, key(), { propagationPolicy: 'Background' });
    await house.eventually(async () => (await house.pods()).length === 0);
  });

  it('lets go of its pods when they are orphaned', async () => {
    await begin({ garbageCollector: true });
    await house.client.create(JOBS, job({ template: template(LASTS) }));
    await house.eventually(async () => (await read()).status?.ready === 1);
    await house.client.delete(JOBS, key(), { propagationPolicy: 'Orphan' });
    await house.settle();
    const [pod] = await house.pods();
    expect([pod?.metadata.finalizers ?? [], pod?.metadata.ownerReferences ?? []]).toEqual([[], []]);
  });

  it('makes no pod too many and loses none when answers are lost, caches lag and it is restarted', async () => {
    let turn = 0;
    await begin({
      through: (client, clock) =>
        inWeather(client, clock, {
          fate: (verb) =>
            verb === 'get' ? 'fine' : ((['fine', 'lost', 'fine', 'refused', 'fine'] as const)[turn++ % 5] ?? 'fine'),
          lagMs: () => 700,
        }),
    });
    await house.client.create(JOBS, job({ completions: 6, parallelism: 2 }));
    await house.settle(2500);
    await house.restart();
    await ended(900_000);
    const { status } = await read();
    expect(status?.succeeded).toBe(6);
    expect(status?.failed ?? 0).toBe(0);
    expect(await house.pods()).toHaveLength(6);
  });
});
