/** Conditions of a terminating namespace: the content and finalizers that still stand in its way. */
import type { Namespace, NamespaceCondition } from '../../core/api/types/core-v1.ts';
import type { Resource, Stored } from '../../core/kube/objects.ts';

export interface Remaining {
  readonly resource: Resource;
  readonly count: number;
  /** Objects of the page that was listed, at most `count`. */
  readonly sample: readonly Stored[];
}

type Condition = Omit<NamespaceCondition, 'lastTransitionTime'>;

export function terminationConditions(remaining: readonly Remaining[]): readonly Condition[] {
  const contents = remaining.map(({ resource, count }) => `${nameOf(resource)} has ${count} resource instances`);
  const finalizers = new Map<string, number>();
  for (const { sample } of remaining)
    for (const { metadata } of sample)
      for (const finalizer of metadata.finalizers ?? [])
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  const holders = [...finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  return [
    ...NEVER_FAILS,
    contents.length === 0
      ? no('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
      : yes('NamespaceContentRemaining', 'SomeResourcesRemain', 'Some resources are remaining', contents),
    holders.length === 0
      ? no('NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished')
      : yes(
          'NamespaceFinalizersRemaining',
          'SomeFinalizersRemain',
          'Some content in the namespace has finalizers remaining',
          holders,
        ),
  ];
}

/** Failures that cannot occur here are reported as False: clients that wait for a namespace wait for all conditions. */
const NEVER_FAILS: readonly Condition[] = (
  [
    ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
    ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    [
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ],
  ] as const
).map(([type, reason, message]) => ({ type, status: 'False', reason, message }));

/** The very same namespace if it has these conditions already. A change of status is a transition. */
export function withConditions(
  namespace: Stored<Namespace>,
  conditions: readonly Condition[],
  now: string,
): Stored<Namespace> {
  const old = namespace.status?.conditions ?? [];
  let isChanged = false;
  const told = conditions.map((condition): NamespaceCondition => {
    const before = old.find(({ type }) => type === condition.type);
    const isSameStatus = before?.status === condition.status;
    if (isSameStatus && before.reason === condition.reason && before.message === condition.message) return before;
    isChanged = true;
    return { ...condition, lastTransitionTime: isSameStatus ? (before.lastTransitionTime ?? now) : now };
  });
  if (!isChanged) return namespace;
  const others = old.filter(({ type }) => !conditions.some((condition) => condition.type === type));
  return { ...namespace, status: { ...namespace.status, conditions: [...others, ...told] } };
}

const no = (type: string, reason: string, message: string): Condition => ({ type, status: 'False', reason, message });

const yes = (type: string, reason: string, text: string, what: readonly string[]): Condition => ({
  type,
  status: 'True',
  reason,
  message: `${text}: ${what.toSorted().join(', ')}`,
});

const nameOf = ({ group, resource }: Resource): string => `${resource}.${group}`;
