/** Matches ReplicaSets to templates, and makes the annotations that turn the sets into a history. Pure. */
import type { Deployment, ReplicaSet } from '../../../../core/api/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../../../core/api/types/core-v1.ts';
import { deepEqual } from '../../../../core/kube/immutable.ts';
import { labelOf, type Labels } from '../../../../core/kube/labels.ts';
import type { LabelSelector } from '../../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { controllerReference } from '../../../../core/kube/owner-references.ts';
import { DESIRED_REPLICAS, HASH_LABEL, MAX_REPLICAS, REVISION, REVISION_HISTORY } from './names.ts';
import { desiredOf, limitsOf } from './sizes.ts';

const HISTORY_CHARACTERS = 2000;
const LONGEST_NAME = 253;

const equal = new WeakMap<PodTemplateSpec, WeakMap<PodTemplateSpec, boolean>>();

/** Whether the set's template is the Deployment's, the hash aside. Templates are immutable: each pair is compared once. */
export function isOfTemplate(set: ReplicaSet, template: PodTemplateSpec): boolean {
  const other = set.spec.template;
  if (other === undefined) return false;
  let answers = equal.get(template);
  if (answers === undefined) equal.set(template, (answers = new WeakMap()));
  let answer = answers.get(other);
  if (answer === undefined) answers.set(other, (answer = deepEqual(withoutHash(other), withoutHash(template))));
  return answer;
}

function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { labels } = template.metadata ?? {};
  if (labels === undefined || !Object.hasOwn(labels, HASH_LABEL)) return template;
  const { [HASH_LABEL]: _, ...rest } = labels;
  const { labels: __, ...metadata } = template.metadata ?? ({} as NonNullable<PodTemplateSpec['metadata']>);
  return {
    ...template,
    metadata: { ...metadata, ...(Object.keys(rest).length === 0 ? {} : { labels: rest }) },
  };
}

/** Of several sets with the template, the oldest. */
export function findNewSet(
  deployment: Deployment,
  sets: readonly Stored<ReplicaSet>[],
): Stored<ReplicaSet> | undefined {
  let found: Stored<ReplicaSet> | undefined;
  for (const set of sets)
    if (isOfTemplate(set, deployment.spec.template) && (found === undefined || isOlder(set, found))) found = set;
  return found;
}

const isOlder = ({ metadata: a }: Stored<ReplicaSet>, { metadata: b }: Stored<ReplicaSet>): boolean =>
  a.creationTimestamp === b.creationTimestamp ? a.name < b.name : a.creationTimestamp < b.creationTimestamp;

/** 64 bits wide, for tools that take revisions from a clock. A text that is no such number counts as 0. */
export const revisionOf = (object: ReplicaSet | Deployment): bigint =>
  readRevision(labelOf(object.metadata.annotations, REVISION) ?? '') ?? 0n;

function readRevision(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]{1,19}$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

export const latestRevision = (sets: readonly ReplicaSet[]): bigint =>
  sets.map(revisionOf).reduce((latest, revision) => (revision > latest ? revision : latest), 0n);

const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  'deprecated.deployment.rollback.to',
]);

/** The annotations of a set of this revision: the Deployment's own, the revision, and the set's former revisions. */
export function annotationsFor(deployment: Deployment, set: ReplicaSet | undefined, revision: bigint): Labels {
  const annotations = new Map(Object.entries(set?.metadata.annotations ?? {}));
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {}))
    if (!NOT_COPIED.has(key)) annotations.set(key, value);
  const old = annotations.get(REVISION);
  const before = readRevision(old ?? '');
  if (old !== undefined && old !== '' && before === undefined) return Object.fromEntries(annotations);
  if ((before ?? 0n) < revision) {
    annotations.set(REVISION, String(revision));
    if (old !== undefined) annotations.set(REVISION_HISTORY, withHistory(annotations.get(REVISION_HISTORY) ?? '', old));
  }
  if (set === undefined)
    for (const [key, value] of Object.entries(sizeAnnotations(deployment))) annotations.set(key, value);
  return Object.fromEntries(annotations);
}

/** The oldest revisions make room. */
function withHistory(history: string, revision: string): string {
  if (history === '') return revision;
  const revisions = [...history.split(','), revision];
  let length = history.length + revision.length + 1;
  while (length > HISTORY_CHARACTERS && revisions.length > 1) length -= (revisions.shift() ?? '').length + 1;
  return revisions.join(',');
}

/** The desired replicas for which a set was sized: a change is noticed, and shared out, by these annotations. */
export const sizeAnnotations = (deployment: Deployment): Labels => ({
  [DESIRED_REPLICAS]: String(desiredOf(deployment)),
  [MAX_REPLICAS]: String(desiredOf(deployment) + limitsOf(deployment).maxSurge),
});

export const hasAnnotations = (set: ReplicaSet, annotations: Labels): boolean =>
  Object.entries(annotations).every(([key, value]) => labelOf(set.metadata.annotations, key) === value);

/** @param deployment with kind and apiVersion. */
export function newReplicaSet(
  deployment: Stored<Deployment>,
  hash: string,
  replicas: number,
  revision: bigint,
): ReplicaSet {
  const { spec } = deployment;
  const { name, namespace } = deployment.metadata;
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name.slice(0, LONGEST_NAME - hash.length - 1)}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations: annotationsFor(deployment, undefined, revision),
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: withHash(spec.selector, hash),
      template: {
        ...spec.template,
        metadata: { ...spec.template.metadata, labels } as NonNullable<PodTemplateSpec['metadata']>,
      },
    },
  };
}

const withHash = (selector: LabelSelector, hash: string): LabelSelector => ({
  ...selector,
  matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash },
});
