import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../types/apps-v1.ts';
import { podSpecFromTemplate } from '../pod/defaults/default-spec.ts';
import { daemonSetStrategy, TEMPLATE_GENERATION } from './daemon-set.ts';

const setOf = (image = 'agent:1', rest: Partial<DaemonSet> = {}): DaemonSet =>
  daemonSetStrategy.defaults({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'default', resourceVersion: '1' },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: {
        metadata: { name: '', labels: { app: 'agent' } },
        spec: { containers: [{ name: 'c', image }] },
      },
    },
    ...rest,
  });

const generationOf = ({ metadata }: DaemonSet): string | undefined => metadata.annotations?.[TEMPLATE_GENERATION];

describe('a daemon set', () => {
  it('rolls out one node at a time unless told otherwise', () => {
    expect(setOf().spec.updateStrategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
    });
    expect(setOf().spec.revisionHistoryLimit).toBe(10);
  });

  it('starts with an empty status and the first version of its template', () => {
    const created = daemonSetStrategy.prepareForCreate({ ...setOf(), status: { numberReady: 9 } as never });
    expect(created.status).toEqual({
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    });
    expect(generationOf(created)).toBe('1');
  });

  it('counts versions of its template, whatever a client says about them', () => {
    const old = daemonSetStrategy.prepareForCreate(setOf());
    const claimed = { ...old, metadata: { ...old.metadata, annotations: { [TEMPLATE_GENERATION]: '99' } } };
    expect(generationOf(daemonSetStrategy.prepareForUpdate(claimed, old, ''))).toBe('1');
    const changed = daemonSetStrategy.prepareForUpdate(setOf('agent:2'), old, '');
    expect(generationOf(changed)).toBe('2');
    expect(daemonSetStrategy.generationChanged(changed, old)).toBe(true);
  });

  it('keeps its spec while its status is reported', () => {
    const old = daemonSetStrategy.prepareForCreate(setOf());
    const report = { ...setOf('agent:2'), status: { ...old.status, numberReady: 3 } as never };
    const prepared = daemonSetStrategy.prepareForUpdate(report, old, 'status');
    expect(prepared.spec).toBe(old.spec);
    expect(daemonSetStrategy.generationChanged(prepared, old)).toBe(false);
  });

  it('hands its pods parts they can share', () => {
    const { template } = setOf().spec;
    const spec = podSpecFromTemplate(template.spec ?? { containers: [] });
    expect(podSpecFromTemplate(template.spec ?? { containers: [] })).toBe(spec);
    expect(spec.containers).toBe(template.spec?.containers);
  });

  it('does not let go of its selector', () => {
    const old = daemonSetStrategy.prepareForCreate(setOf());
    const selector = { matchLabels: { app: 'agent', more: 'x' } };
    const changed = { ...old, spec: { ...old.spec, selector } };
    expect(
      daemonSetStrategy.validateUpdate(changed, old, '').map(({ field, message }) => `${field}: ${message}`),
    ).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"app":"agent","more":"x"}}: field is immutable',
      'spec.template.metadata.labels: Invalid value: {"app":"agent"}: `selector` does not match template `labels`',
    ]);
  });
});
