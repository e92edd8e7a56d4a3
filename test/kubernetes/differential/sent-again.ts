/**
 * A stored pod as it can be created once more. A server merges `matchLabelKeys` and `mismatchLabelKeys` into the label
 * selector when the pod is created, and refuses a key that stands in both; so the keys that were merged are left out, and
 * the selector goes on saying the same.
 */
import type { Affinity, Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../../src/core/api/types/core-v1.ts';

type WithKeys = Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>;

export function sentAgain({ apiVersion, kind, metadata, spec }: Pod): Pod {
  const { name, namespace, labels = {} } = metadata;
  const { affinity, topologySpreadConstraints: constraints } = spec;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels },
    spec: {
      ...spec,
      ...(affinity === undefined ? {} : { affinity: affinityAgain(affinity) }),
      ...(constraints === undefined
        ? {}
        : { topologySpreadConstraints: constraints.map((each): TopologySpreadConstraint => withoutMergedKeys(each)) }),
    },
  };
}

function affinityAgain({ podAffinity, podAntiAffinity, ...rest }: Affinity): Affinity {
  return {
    ...rest,
    ...(podAffinity === undefined ? {} : { podAffinity: termsAgain(podAffinity) }),
    ...(podAntiAffinity === undefined ? {} : { podAntiAffinity: termsAgain(podAntiAffinity) }),
  };
}

type PodTerms = NonNullable<Affinity['podAffinity']>;

const termsAgain = ({
  requiredDuringSchedulingIgnoredDuringExecution: required,
  preferredDuringSchedulingIgnoredDuringExecution: preferred,
}: PodTerms): PodTerms => ({
  ...(required === undefined
    ? {}
    : { requiredDuringSchedulingIgnoredDuringExecution: required.map((term) => withoutMergedKeys(term)) }),
  ...(preferred === undefined
    ? {}
    : {
        preferredDuringSchedulingIgnoredDuringExecution: preferred.map(({ weight, podAffinityTerm }) => ({
          weight,
          podAffinityTerm: withoutMergedKeys(podAffinityTerm),
        })),
      }),
});

function withoutMergedKeys<T extends WithKeys>(term: T): T {
  const { matchLabelKeys, mismatchLabelKeys, ...rest } = term;
  const merged = new Set(term.labelSelector?.matchExpressions?.map(({ key }) => key));
  const left = (keys: readonly string[] = []): readonly string[] => keys.filter((key) => !merged.has(key));
  return {
    ...rest,
    ...(left(matchLabelKeys).length > 0 ? { matchLabelKeys: left(matchLabelKeys) } : {}),
    ...(left(mismatchLabelKeys).length > 0 ? { mismatchLabelKeys: left(mismatchLabelKeys) } : {}),
  } as T;
}
