/**
 * A pod is bound once; the node exists as far as the scheduler could know; and a bound pod fits, by its requests, so
 * that no kubelet has to reject it.
 */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isEnded } from '../cluster-view.ts';
import { shouldKnow, type InvariantFactory } from './invariant.ts';
import { overcommitted } from './node-capacity.ts';

const nodeOf = (pod: Pod | undefined): string => pod?.spec.nodeName ?? '';
const isCounted = (pod: Pod): boolean => !isEnded(pod);

export const boundOnce: InvariantFactory = () => ({
  name: 'bound-once',
  committed({ key, object, previous }) {
    if (key.resource !== 'pods' || previous === undefined || previous.metadata.uid !== object.metadata.uid)
      return undefined;
    const before = nodeOf(previous as Stored<Pod>);
    const after = nodeOf(object as Stored<Pod>);
    return before === '' || before === after ? undefined : `${key.name} went from ${before} to ${after || 'no node'}`;
  },
});

export const boundToANode: InvariantFactory = () => ({
  name: 'bound-to-a-node',
  committed({ key, object, previous, by }, view) {
    if (key.resource !== 'pods' || previous === undefined) return undefined;
    const node = nodeOf(object as Stored<Pod>);
    if (node === '' || node === nodeOf(previous as Stored<Pod>) || view.nodes.has(node)) return undefined;
    const gone = view.nodeGoneAt(node);
    if (gone === undefined) return `${key.name} was bound to ${node}, which never was`;
    return shouldKnow(view, by, 'nodes', gone) ? `${key.name} was bound to ${node}, known to be gone` : undefined;
  },
});

export const boundWhereItFits: InvariantFactory = () => ({
  name: 'bound-where-it-fits',
  committed({ key, object, previous }, view) {
    if (key.resource !== 'pods' || previous === undefined) return undefined;
    const node = nodeOf(object as Stored<Pod>);
    if (node === '' || node === nodeOf(previous as Stored<Pod>)) return undefined;
    const problem = overcommitted(view, node, isCounted);
    return problem === undefined ? undefined : `binding ${key.name}: ${problem}`;
  },
});
