import { describe, expect, it } from 'vitest';
import { UNRESERVED_TAINT } from '../api/names.ts';
import type { DaemonSet } from '../api/types/apps-v1.ts';
import type { Stored } from '../kube/objects.ts';
import { createPodMaker } from './daemon-pod.ts';
import { daemonTolerations } from './daemon-tolerations.ts';
import { makeNode } from './testing/samples.ts';

const set: Stored<DaemonSet> = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {
    name: 'cni',
    namespace: 'net',
    uid: 'set',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { selector: {}, template: { spec: { containers: [{ name: 'main', image: 'cni' }] } } },
};
const waiting = (name: string) => makeNode(name, { taints: [{ key: UNRESERVED_TAINT, effect: 'NoSchedule' }] });
const identity = (name: string) => ({ name, uid: `uid-of-${name}` });

describe('a daemon pod for a node that waits for Orders', () => {
  const make = createPodMaker(set, 'hash');
  const first = make(identity('n0'), '', waiting('n0'));

  it('tolerates that, so that the node does not wait for the pod and the pod for the node', () => {
    const added = { key: UNRESERVED_TAINT, operator: 'Exists', effect: 'NoSchedule' };
    expect(first.spec.tolerations).toEqual([...daemonTolerations(set.spec.template.spec ?? { containers: [] }), added]);
  });

  it('shares all but its pin with the other ones', () => {
    const second = make(identity('n1'), '', waiting('n1'));
    expect(second.spec.tolerations).toBe(first.spec.tolerations);
    expect(second.spec.containers).toBe(first.spec.containers);
  });

  it('has the name that it would have without the taint: a create that is repeated meets itself', () => {
    expect(make(identity('n0'), '').metadata.name).toBe(first.metadata.name);
  });

  it('leaves pods on other nodes as they are anywhere', () => {
    const plain = make(identity('n2'), '', makeNode('n2'));
    const other = make(
      identity('n2'),
      '',
      makeNode('n2', { taints: [{ key: UNRESERVED_TAINT, effect: 'NoExecute' }] }),
    );
    expect(plain.spec.tolerations).toBe(daemonTolerations(set.spec.template.spec ?? { containers: [] }));
    expect(other).toEqual(plain);
    expect(make(identity('n2'), '')).toEqual(plain);
  });
});
