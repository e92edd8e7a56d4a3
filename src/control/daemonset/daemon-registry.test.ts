import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import { WORK } from '../../core/daemons/daemon-pod-rules.ts';
import { controllerReference } from '../../core/kube/owner-references.ts';
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import type { Informer } from '../../machinery/cache/informer.ts';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import { DaemonRegistry } from './daemon-registry.ts';
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

function registryWithOneFailedPod() {
  const told: string[] = [];
  const cache = new Map([[pod.metadata.name, pod]]);
  const pods = { lister: { get: (name: string) => cache.get(name) }, resourceVersion: '1' };
  const registry = new DaemonRegistry({
    clock: createVirtualClock(),
    pods: pods as unknown as Informer<Pod>,
    revisions: pods,
    onChange: ({ key }) => told.push(key.name),
  });
  registry.seeNode(node);
  const daemon = registry.register(set, definitionOf(set, 'hash'));
  registry.seePods([{ type: 'add', object: pod, old: undefined }]);
  told.length = 0;
  const watchTellsOfTheEnd = (resourceVersion = '1'): void => {
    cache.clear();
    pods.resourceVersion = resourceVersion;
    registry.seePods([{ type: 'delete', object: pod, old: pod }]);
  };
  return { told, registry, daemon, watchTellsOfTheEnd };
}

describe('a node whose pod was removed by our own hand is told to want another', () => {
  it('when the answer says that the pod is gone', () => {
    const { told, registry, daemon, watchTellsOfTheEnd } = registryWithOneFailedPod();
    daemon.children.gone(pod);
    watchTellsOfTheEnd();
    expect(told).toEqual(['agent']);
    expect(registry.view(daemon).listed(WORK).size).toBe(1);
  });

  it('when the answer shows a pod that has ended and is being deleted', () => {
    const { told, registry, daemon, watchTellsOfTheEnd } = registryWithOneFailedPod();
    const metadata = { ...pod.metadata, resourceVersion: '2', deletionTimestamp: '2026-01-01T00:00:00Z' };
    daemon.children.wrote({ ...pod, metadata });
    watchTellsOfTheEnd();
    expect(told).toEqual(['agent']);
    expect(registry.view(daemon).listed(WORK).size).toBe(1);
  });

  it('when the watch tells of the end before the answer to the deletion comes', () => {
    const { told, registry, daemon, watchTellsOfTheEnd } = registryWithOneFailedPod();
    watchTellsOfTheEnd('3');
    const metadata = { ...pod.metadata, resourceVersion: '2', deletionTimestamp: '2026-01-01T00:00:00Z' };
    daemon.children.wrote({ ...pod, metadata });
    expect(told).toEqual(['agent']);
    expect([...registry.view(daemon).allChildren()]).toEqual([]);
    expect(registry.view(daemon).listed(WORK).size).toBe(1);
  });
});

describe('a pod that was created and deleted before the watch told of either', () => {
  it('does not come back when the watch catches up', () => {
    const { registry, daemon } = registryWithOneFailedPod();
    const late: Stored<Pod> = {
      ...pod,
      metadata: { ...pod.metadata, name: 'agent-2', uid: 'agent-2', resourceVersion: '5' },
      status: {},
    };
    daemon.children.wrote(late);
    daemon.children.gone(late);
    registry.seePods([{ type: 'add', object: late, old: undefined }]);
    expect([...registry.view(daemon).allChildren()].map(({ metadata }) => metadata.name)).toEqual(['agent-1']);
  });
});
