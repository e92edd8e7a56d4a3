import { describe, expect, it } from 'vitest';
import type { TicketSpec } from '../api/types/korder-v1alpha1.ts';
import { pinnedTo } from './daemon-pod.ts';
import { guardianHash, templateHash } from './reservation-hash.ts';

describe('the hash of a guardian', () => {
  const base: TicketSpec = { resources: { requests: { cpu: '1' } }, affinity: pinnedTo(undefined, 'n0') };
  const hash = guardianHash(base);

  const same: readonly (readonly [string, TicketSpec])[] = [
    ['another node', { ...base, affinity: pinnedTo(undefined, 'n1') }],
    ['a pin by nodeName, as people write it', { resources: { requests: { cpu: '1' } }, nodeName: 'n7' }],
    ['another duration', { ...base, duration: '1h' }],
    ['another TTL', { ...base, ttlSecondsAfterFinished: 7, lifecycle: { cleanupPolicy: 'Retain' } }],
    ['the same amount in other units', { ...base, resources: { requests: { cpu: '1000m' } } }],
    ['empty lists and objects', { ...base, tolerations: [], nodeSelector: {}, topologySpreadConstraints: [] }],
    [
      'defaults that are spelled out',
      { ...base, schedulerName: 'default-scheduler', priorityClassName: 'everynode-guardian' },
    ],
  ];
  it.each(same)('is the same for %s', (_what, spec) => {
    expect(guardianHash(spec)).toBe(hash);
  });

  const other: readonly (readonly [string, TicketSpec])[] = [
    ['another size', { ...base, resources: { requests: { cpu: '2' } } }],
    ['limits', { ...base, resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }],
    ['a node selector', { ...base, nodeSelector: { zone: 'a' } }],
    ['a toleration', { ...base, tolerations: [{ operator: 'Exists' }] }],
    ['another scheduler', { ...base, schedulerName: 'mine' }],
    ['another priority', { ...base, priorityClassName: 'mine' }],
    ['no pin', { resources: { requests: { cpu: '1' } } }],
  ];
  it.each(other)('differs for %s', (_what, spec) => {
    expect(guardianHash(spec)).not.toBe(hash);
  });
});

describe('the hash of a template', () => {
  const template = { metadata: { labels: { a: '1', b: '2' } }, spec: { resources: { requests: { cpu: '1' } } } };
  it('does not depend on the order of keys', () => {
    const turned = { spec: template.spec, metadata: { labels: { b: '2', a: '1' } } };
    expect(templateHash({ template: turned })).toBe(templateHash({ template }));
  });
  it('changes with the template, and with the time that the refresh policy implies, not with the rest of the Order', () => {
    const hash = templateHash({ template });
    expect(templateHash({ template: { ...template, spec: { duration: '1h' } } })).not.toBe(hash);
    expect(templateHash({ template, refreshPolicy: 'Never' })).not.toBe(hash);
    expect(templateHash({ template, refreshPolicy: 'Always', paused: true, replicas: 7 })).toBe(hash);
  });
});
