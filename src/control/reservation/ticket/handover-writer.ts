/** Carries out the steps of a handover: creates and lets go shades, and binds pods under them. */
import { SHADE_FINALIZER } from '../../../core/api/names.ts';
import { NODES, PODS } from '../../../core/api/registry/resources.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { createClusterState } from '../../../core/placement/cluster-state.ts';
import { compilePodOnce } from '../../../core/placement/compiled-pod.ts';
import { evaluate } from '../../../core/placement/filters.ts';
import { keyOf } from '../../../machinery/cache/object-keys.ts';
import { textOf, unlessGone } from '../../../machinery/children/write-outcomes.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { GuardianCache } from './guardian-cache.ts';
import { guardianPod } from './guardian-pod.ts';
import { isShade, shadePod } from './shade-pod.ts';

export interface HandoverWriter {
  /** Creates the shade, or finds it. */
  shade(ticket: Stored<Ticket>, name: string, nodeName: string, like: Pod | 'ticket'): Promise<void>;
  unshade(shade: Stored<Pod>): Promise<void>;
  /** Binds the pod if it fits beside all pods of the node but shades of its Ticket. Returns why not. */
  bind(pod: Stored<Pod>, nodeName: string): Promise<string | undefined>;
}

export interface HandoverWriterOptions {
  readonly client: Client;
  readonly guardians: GuardianCache;
  readonly image: string;
}

export function createHandoverWriter({ client, guardians, image }: HandoverWriterOptions): HandoverWriter {
  /** Asks the API server, not the cache: another scheduler, or a user, may have put a pod there a moment ago. */
  async function whyNot(pod: Stored<Pod>, nodeName: string): Promise<string | undefined> {
    const node = await unlessGone(client.get(NODES, { name: nodeName }));
    if (node === undefined) return `node ${nodeName} is gone`;
    const { items } = await client.list(PODS, { fieldSelector: `spec.nodeName=${nodeName}` });
    const cluster = createClusterState();
    const state = cluster.setNode(node);
    for (const other of items) if (!isShade(other)) cluster.setPod(other);
    const answer = evaluate(compilePodOnce(pod), state, cluster);
    return answer.ok ? undefined : answer.nos.map(({ message }) => message).join(', ');
  }

  return {
    async shade(ticket, name, nodeName, like) {
      const model = like === 'ticket' ? guardianPod(ticket, '', image) : like;
      const pod = shadePod(ticket, name, nodeName, model, image);
      try {
        guardians.wrote(await client.create(PODS, pod));
      } catch (error) {
        if (!isStatus(error, 'AlreadyExists')) throw error;
        const found = await unlessGone(client.get(PODS, keyOf(pod)));
        if (found !== undefined) guardians.wrote(found);
      }
    },

    async unshade(shade) {
      const { uid, finalizers = [] } = shade.metadata;
      const key = keyOf(shade);
      const body = { metadata: { uid, finalizers: finalizers.filter((each) => each !== SHADE_FINALIZER) } };
      // A kubelet has deleted it already, as a rule: it goes with its finalizer.
      const patched = await unlessGone(client.patch(PODS, key, { type: 'merge', body }));
      if (patched !== undefined && patched.metadata.deletionTimestamp === undefined)
        await unlessGone(client.delete(PODS, key, { gracePeriodSeconds: 0, preconditions: { uid } }));
      guardians.gone(shade);
    },

    async bind(pod, nodeName) {
      const refusal = await whyNot(pod, nodeName);
      if (refusal !== undefined) return refusal;
      try {
        await client.bind({ ...keyOf(pod), uid: pod.metadata.uid }, nodeName);
        return undefined;
      } catch (error) {
        // Bound or deleted by another client: the pod itself says so. Other failures are tried again.
        if (!isStatus(error, 'Conflict') && !isStatus(error, 'NotFound')) throw error;
        const now = await unlessGone(client.get(PODS, keyOf(pod)));
        return now?.metadata.uid === pod.metadata.uid && now.spec.nodeName === nodeName ? undefined : textOf(error);
      }
    },
  };
}
