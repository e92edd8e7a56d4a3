/**
 * The pods of a DaemonSet as its controller makes them: the template with the revision's labels and the daemon's
 * tolerations, pinned to one node by its name. All pods of a revision share everything but their metadata and their pin.
 */
import type { DaemonSet } from '../api/types/apps-v1.ts';
import type { Affinity, Node, Pod, PodSpec } from '../api/types/core-v1.ts';
import { childName } from '../kube/hash.ts';
import { labelOf } from '../kube/labels.ts';
import type { ObjectMeta } from '../kube/meta-v1.ts';
import { nameIsDnsSubdomain } from '../kube/names.ts';
import type { Stored } from '../kube/objects.ts';
import { controllerReference } from '../kube/owner-references.ts';
import { daemonTolerations, isUnreserved, UNRESERVED_TOLERATION } from './daemon-tolerations.ts';
import { GENERATION_LABEL, REVISION_LABEL } from './pod-child.ts';

/** Counts the template's versions; older API versions had a field for it. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** The template's generation as pods are labelled with it; undefined where the annotation says nothing readable. */
export function templateGeneration(set: DaemonSet): string | undefined {
  const text = labelOf(set.metadata.annotations, TEMPLATE_GENERATION);
  if (text === undefined || !/^[+-]?[0-9]{1,19}$/.test(text)) return undefined;
  return BigInt.asIntN(64, BigInt(text)) === BigInt(text) ? BigInt(text).toString() : undefined;
}

export interface NodeIdentity {
  readonly name: string;
  readonly uid: string;
}

/**
 * Makes the pod for a node; `predecessor` is the UID of the pod it follows there, empty for the first. `object` is the node as it is
 * now: while it waits for Orders, its pods tolerate that. Elsewhere pods are made letter by letter as upstream makes them.
 */
export type PodMaker = (node: NodeIdentity, predecessor: string, object?: Node) => Pod;

/** The parts of a pod that may differ between groups of nodes. */
export interface PodVariant {
  readonly spec: PodSpec;
  readonly annotations?: { readonly [key: string]: string };
}

export function createPodMaker(set: Stored<DaemonSet>, hash: string, variant?: PodVariant): PodMaker {
  const { template } = set.spec;
  const spec = variant?.spec ?? template.spec ?? EMPTY_SPEC;
  const { name: setName, namespace, uid } = set.metadata;
  const shared = sharedMeta(set, hash, variant);
  const base: PodSpec = { ...spec, tolerations: daemonTolerations(spec) };
  let early: PodSpec | undefined;
  /** One for all nodes with the taint, made with the first of them. */
  const earlyBase = (): PodSpec =>
    (early ??= { ...base, tolerations: [...daemonTolerations(spec), UNRESERVED_TOLERATION] });
  const { affinity } = spec;
  const variantPart = variant?.annotations === undefined ? [] : [JSON.stringify(variant.annotations)];
  return (node, predecessor, object) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: childName(setName, [uid, node.uid, hash, predecessor, ...variantPart]),
      ...shared,
      ...(namespace === undefined ? {} : { namespace }),
    },
    spec: { ...(isUnreserved(object?.spec?.taints) ? earlyBase() : base), affinity: pinnedTo(affinity, node.name) },
  });
}

const EMPTY_SPEC: PodSpec = Object.freeze({ containers: Object.freeze([]) });

function sharedMeta(set: Stored<DaemonSet>, hash: string, variant: PodVariant | undefined): Omit<ObjectMeta, 'name'> {
  const meta = set.spec.template.metadata;
  const generation = templateGeneration(set);
  const prefix = `${set.metadata.name}-`;
  const annotations =
    variant?.annotations === undefined ? meta?.annotations : { ...meta?.annotations, ...variant.annotations };
  return {
    generateName: nameIsDnsSubdomain(prefix, true).length === 0 ? prefix : set.metadata.name,
    labels: {
      ...meta?.labels,
      ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
      ...(hash === '' ? {} : { [REVISION_LABEL]: hash }),
    },
    ...(annotations === undefined ? {} : { annotations }),
    ...(meta?.finalizers === undefined ? {} : { finalizers: meta.finalizers }),
    ownerReferences: [controllerReference({ ...set, apiVersion: 'apps/v1', kind: 'DaemonSet' })],
  };
}

/** The template's affinity with everything that is required of a node replaced by its name. */
export function pinnedTo(affinity: Affinity | undefined, nodeName: string): Affinity {
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }],
      },
    },
  };
}
