import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import { WORK } from '../../core/daemons/daemon-pod-rules.ts';
import { controllerReference } from '../../core/kube/owner-references.ts';
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import type { Informer } from '../../machinery/cache/informer.ts';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import { createDaemonWorld } from './daemon-registry.ts';
import { definitionOf } from './definition.ts';

const stored = <T extends KubeObject>(object: T): Stored<T> => ({
  ...object,
  metadata: { uid: object.metadata.name, resourceVersion: '1', creationTimestamp: '', ...object.metadata },
});

const labels = { app: 'agent' };
const set = stored<DaemonSet>({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'default' },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { name: '', labels }, spec: { containers: [{ name: 'main', image: 'x' }] } },
  },
});
const node = stored<Node>({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} });
const pod = stored<Pod>({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'agent-1', namespace: 'default', labels, ownerReferences: [controllerReference(set)] },
  spec: { nodeName: 'n', containers: [{ name: 'main', image: 'x' }] },
  status: { phase: 'Failed' },
});

function worldWithOneFailedPod() {
  const told: string[] = [];
  const cache = new Map([[pod.metadata.name, pod]]);
  const pods = { lister: { get: (name: string) => cache.get(name) }, resourceVersion: '1' };
  const world = createDaemonWorld({
    clock: createVirtualClock(),
    pods: pods as unknown as Informer<Pod>,
    onChange: ({ key }) => told.push(key.name),
  });
  world.seeNode(node);
  const daemon = world.register(set, definitionOf(set, 'hash'));
  world.seePods([{ type: 'add', object: pod, old: undefined }]);
  told.length = 0;
  const watchTellsOfTheEnd = (resourceVersion = '1'): void => {
    cache.clear();
    pods.resourceVersion = resourceVersion;
    world.seePods([{ type: 'delete', object: pod, old: pod }]);
  };
  return { told, world, daemon, watchTellsOfTheEnd };
}

describe('a node whose pod was removed by our own hand is told to want another', () => {
  it('when the answer says that the pod is gone', () => {
    const { told, world, daemon, watchTellsOfTheEnd } = worldWithOneFailedPod();
    world.vanished(daemon, pod);
    watchTellsOfTheEnd();
    expect(told).toEqual(['agent']);
    expect(world.view(daemon).listed(WORK).size).toBe(1);
  });

  it('when the answer shows a pod that has ended and is being deleted', () => {
    const { told, world, daemon, watchTellsOfTheEnd } = worldWithOneFailedPod();
    const metadata = { ...pod.metadata, resourceVersion: '2', deletionTimestamp: '2026-01-01T00:00:00Z' };
    world.wrote(daemon, { ...pod, metadata });
    watchTellsOfTheEnd();
    expect(told).toEqual(['agent']);
    expect(world.view(daemon).listed(WORK).size).toBe(1);
  });

  it('when the watch tells of the end before the answer to the deletion comes', () => {
    const { told, world, daemon, watchTellsOfTheEnd } = worldWithOneFailedPod();
    watchTellsOfTheEnd('3');
    const metadata = { ...pod.metadata, resourceVersion: '2', deletionTimestamp: '2026-01-01T00:00:00Z' };
    world.wrote(daemon, { ...pod, metadata });
    expect(told).toEqual(['agent']);
    expect([...world.view(daemon).allChildren()]).toEqual([]);
    expect(world.view(daemon).listed(WORK).size).toBe(1);
  });
});
