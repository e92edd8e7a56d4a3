import { afterEach, describe, expect, it } from 'vitest';
import { CRON_JOBS, JOBS } from '../../src/core/api/registry/resources.ts';
import type { CronJob, CronJobSpec, Job } from '../../src/core/api/types/batch-v1.ts';
import type { JobTemplateSpec } from '../../src/core/api/types/batch-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { parseTime } from '../../src/core/kube/time.ts';
import { inWeather } from '../daemonset/bad-weather.ts';
import { createWorkloadWorld, key, type WorkloadWorld, type WorkloadWorldOptions } from './world.ts';

let house: WorkloadWorld;
afterEach(() => house?.stop());
const begin = async (options: WorkloadWorldOptions = {}): Promise<WorkloadWorld> =>
  (house = await createWorkloadWorld(options));

const MINUTE = 60_000;

const jobTemplate = (exitAfter: string, exitCode = '0'): JobTemplateSpec => ({
  metadata: { name: '', labels: { from: 'cron' } },
  spec: {
    backoffLimit: 0,
    template: {
      metadata: {
        name: '',
        labels: { app: 'web' },
        annotations: { 'everynode.dev/exit-after': exitAfter, 'everynode.dev/exit-code': exitCode },
      },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.test/work:1' }] },
    },
  },
});

const cron = (spec: Partial<CronJobSpec> = {}): CronJob => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'web', namespace: 'default' },
  spec: { schedule: '* * * * *', jobTemplate: jobTemplate('1s'), ...spec },
});

const read = (): Promise<Stored<CronJob>> => house.client.get(CRON_JOBS, key());
const jobs = async (): Promise<readonly Stored<Job>[]> =>
  (await house.client.list(JOBS, { namespace: 'default', labelSelector: 'from=cron' })).items;

describe('a CronJob', () => {
  it('makes a Job every minute, named after it, and keeps the last three', async () => {
    await begin({ garbageCollector: true });
    await house.client.create(CRON_JOBS, cron());
    await house.settle(6.5 * MINUTE);
    const names = (await jobs()).map(({ metadata }) => metadata.name);
    const minute = Math.floor(house.clock.now() / MINUTE);
    expect(names).toEqual([minute - 2, minute - 1, minute].map((each) => `web-${each}`));
    const { status } = await read();
    expect(parseTime(status?.lastScheduleTime ?? '')).toBe(minute * MINUTE);
    expect(status?.lastSuccessfulTime).toBeDefined();
    const events = await house.events('cronjob-controller');
    expect(events).toContain(`Normal SuccessfulCreate Created job web-${minute}`);
    expect(events).toContain(`Normal SawCompletedJob Saw completed job: web-${minute - 1}, condition: Complete`);
    expect(events).toContain(`Normal SuccessfulDelete Deleted job web-${minute - 3}`);
    expect((await jobs())[0]?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/,
    );
  });

  it('keeps one failed Job', async () => {
    await begin({ garbageCollector: true });
    await house.client.create(CRON_JOBS, cron({ jobTemplate: jobTemplate('1s', '1') }));
    await house.settle(4.5 * MINUTE);
    expect(await jobs()).toHaveLength(1);
  });

  it('lets Jobs overlap unless told otherwise', async () => {
    await begin();
    await house.client.create(CRON_JOBS, cron({ jobTemplate: jobTemplate('10m') }));
    await house.settle(3 * MINUTE);
    expect(await jobs()).toHaveLength(3);
    expect((await read()).status?.active).toHaveLength(3);
  });

  it('starts none beside another where that is forbidden', async () => {
    await begin();
    await house.client.create(CRON_JOBS, cron({ jobTemplate: jobTemplate('150s'), concurrencyPolicy: 'Forbid' }));
    await house.settle(3 * MINUTE);
    expect(await jobs()).toHaveLength(1);
    expect(await house.events('cronjob-controller')).toContain(
      'Normal JobAlreadyActive Not starting job because prior execution is running and concurrency policy is Forbid',
    );
    await house.settle(2 * MINUTE);
    expect((await jobs()).length).toBeGreaterThan(1);
  });

  it('replaces the one that runs where that is asked for', async () => {
    await begin({ garbageCollector: true });
    await house.client.create(CRON_JOBS, cron({ jobTemplate: jobTemplate('10m'), concurrencyPolicy: 'Replace' }));
    await house.settle(4 * MINUTE);
    expect(await jobs()).toHaveLength(1);
    expect((await read()).status?.active).toHaveLength(1);
  });

  it('sleeps while suspended and then runs the last time it missed', async () => {
    await begin();
    await house.client.create(CRON_JOBS, cron({ suspend: true }));
    await house.settle(5 * MINUTE);
    expect(await jobs()).toHaveLength(0);
    await house.client.patch(CRON_JOBS, key(), { type: 'merge', body: { spec: { suspend: false } } });
    await house.settle(1000);
    expect((await jobs()).map(({ metadata }) => metadata.name)).toEqual([
      `web-${Math.floor(house.clock.now() / MINUTE)}`,
    ]);
  });

  it('forgets times that are longer ago than its deadline', async () => {
    await begin();
    await house.client.create(CRON_JOBS, cron({ schedule: '0 * * * *', suspend: true, startingDeadlineSeconds: 30 }));
    await house.settle(90 * MINUTE);
    // Half past: the last full hour is too long ago.
    const past = (house.clock.now() % (60 * MINUTE)) / MINUTE;
    await house.settle(((90 - past) % 60) * MINUTE);
    await house.client.patch(CRON_JOBS, key(), { type: 'merge', body: { spec: { suspend: false } } });
    await house.settle(5000);
    expect(await jobs()).toHaveLength(0);
    await house.settle(31 * MINUTE);
    expect(await jobs()).toHaveLength(1);
  });

  it('makes one Job a minute when answers are lost and it is restarted', async () => {
    let turn = 0;
    await begin({
      through: (client, clock) =>
        inWeather(client, clock, {
          fate: (verb, resource) =>
            verb === 'get' || (resource.resource !== 'jobs' && resource.resource !== 'cronjobs')
              ? 'fine'
              : ((['lost', 'fine', 'refused', 'fine'] as const)[turn++ % 4] ?? 'fine'),
          lagMs: () => 400,
        }),
    });
    await house.client.create(CRON_JOBS, cron({ successfulJobsHistoryLimit: 10 }));
    await house.settle(2 * MINUTE + 100);
    await house.restart();
    await house.settle(2 * MINUTE);
    const names = (await jobs()).map(({ metadata }) => metadata.name);
    const minute = Math.floor(house.clock.now() / MINUTE);
    expect(names).toEqual([minute - 3, minute - 2, minute - 1, minute].map((each) => `web-${each}`));
  });
});
