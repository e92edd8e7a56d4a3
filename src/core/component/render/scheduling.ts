/** Affinity and spread, from their short forms. */
import type { ComponentPod } from '../../api/component/types.ts';
import type {
  Affinity,
  NodeAffinity,
  PodAffinity,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '../../api/types/core-v1.ts';
import type { Identity } from './mode.ts';
import { present, unlessBare, unlessEmpty } from './present.ts';

type Scheduling = NonNullable<ComponentPod['scheduling']>;
type PodRules = NonNullable<Scheduling['podAffinity']>;
type PodTerm = NonNullable<PodRules['required']>[number];

function nodeAffinity(rules: Scheduling['nodeAffinity']): NodeAffinity | undefined {
  if (rules === undefined) return undefined;
  const terms = unlessEmpty(rules.required);
  return unlessBare(
    present<NodeAffinity>({
      requiredDuringSchedulingIgnoredDuringExecution: terms && { nodeSelectorTerms: terms },
      preferredDuringSchedulingIgnoredDuringExecution: unlessEmpty(
        rules.preferred?.map(({ weight, term }) => ({ weight, preference: term })),
      ),
    }),
  );
}

const podTerm = ({ matchLabels, topologyKey, namespaces }: PodTerm): PodAffinityTerm =>
  present<PodAffinityTerm>({ labelSelector: { matchLabels }, namespaces: unlessEmpty(namespaces), topologyKey });

const podRules = (rules: PodRules | undefined): PodAffinity | undefined =>
  rules &&
  unlessBare(
    present<PodAffinity>({
      requiredDuringSchedulingIgnoredDuringExecution: unlessEmpty(rules.required?.map(podTerm)),
      preferredDuringSchedulingIgnoredDuringExecution: unlessEmpty(
        rules.preferred?.map(({ weight, term }) => ({ weight, podAffinityTerm: podTerm(term) })),
      ),
    }),
  );

export const affinityOf = (scheduling: Scheduling | undefined): Affinity | undefined =>
  scheduling &&
  unlessBare(
    present<Affinity>({
      nodeAffinity: nodeAffinity(scheduling.nodeAffinity),
      podAffinity: podRules(scheduling.podAffinity),
      podAntiAffinity: podRules(scheduling.podAntiAffinity),
    }),
  );

export const spreadOf = (
  scheduling: Scheduling | undefined,
  { selector }: Identity,
): readonly TopologySpreadConstraint[] | undefined =>
  unlessEmpty(
    scheduling?.topologySpreadConstraints?.map(({ maxSkew, topologyKey, whenUnsatisfiable, matchLabels }) => ({
      maxSkew,
      topologyKey,
      whenUnsatisfiable,
      labelSelector: { matchLabels: matchLabels ?? selector },
    })),
  );
