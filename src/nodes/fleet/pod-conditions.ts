/**
 * The conditions a kubelet keeps on a pod, from its container statuses. Pure; an unchanged condition keeps its
 * reference.
 */
import type { ContainerStatus, Pod, PodCondition } from '../../core/api/types/core-v1.ts';
import { isSidecar, type Statuses } from './container-status.ts';

export interface ConditionFacts {
  readonly phase: string;
  /** The pod has its network: containers can be started. */
  readonly sandbox: boolean;
  readonly init: Statuses;
  readonly regular: Statuses;
}

interface Fact {
  readonly type: string;
  readonly isTrue: boolean;
  readonly reason?: string;
  readonly message?: string;
}

type Conditions = readonly PodCondition[];

const yes = (type: string, reason?: string): Fact => ({
  type,
  isTrue: true,
  ...(reason === undefined ? {} : { reason }),
});
const no = (type: string, reason: string, message?: string): Fact => ({
  type,
  isTrue: false,
  reason,
  ...(message === undefined ? {} : { message }),
});

const READY = yes('Ready');
const CONTAINERS_READY = yes('ContainersReady');
const SCHEDULED = yes('PodScheduled');
const INITIALIZED = yes('Initialized');
const SANDBOX = yes('PodReadyToStartContainers');
const NO_SANDBOX: Fact = { type: 'PodReadyToStartContainers', isTrue: false };
const ALL_WELL: readonly Fact[] = Object.freeze([SANDBOX, INITIALIZED, READY, CONTAINERS_READY, SCHEDULED]);

const listed = (names: readonly string[]): string => `[${names.join(' ')}]`;

function factsOf(pod: Pod, facts: ConditionFacts): readonly Fact[] {
  const containersReady = containersReadyFact(pod, facts);
  const initialized = initializedFact(pod, facts);
  const ready = containersReady.isTrue ? gatesFact(pod) : { ...containersReady, type: 'Ready' };
  if (facts.sandbox && ready === READY && containersReady === CONTAINERS_READY && initialized === INITIALIZED)
    return ALL_WELL;
  return [facts.sandbox ? SANDBOX : NO_SANDBOX, initialized, ready, containersReady, SCHEDULED];
}

function containersReadyFact(pod: Pod, { phase, init, regular }: ConditionFacts): Fact {
  if (phase === 'Failed') return no('ContainersReady', 'PodFailed');
  if (phase === 'Succeeded') return no('ContainersReady', 'PodCompleted');
  const isUnready = (status: ContainerStatus | undefined): boolean => status?.ready !== true;
  const unready = [
    ...(pod.spec.initContainers ?? []).filter((container, i) => isSidecar(container) && isUnready(init[i])),
    ...pod.spec.containers.filter((_container, i) => isUnready(regular[i])),
  ];
  if (unready.length === 0) return CONTAINERS_READY;
  return no(
    'ContainersReady',
    'ContainersNotReady',
    `containers with unready status: ${listed(unready.map(({ name }) => name))}`,
  );
}

function initializedFact(pod: Pod, { phase, init, regular }: ConditionFacts): Fact {
  if (phase === 'Succeeded') return yes('Initialized', 'PodCompleted');
  const containers = pod.spec.initContainers;
  if (containers === undefined || containers.length === 0) return INITIALIZED;
  if (
    regular.some(({ state, lastState }) => (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined)
  ) {
    return INITIALIZED;
  }
  const incomplete = containers.filter((container, i) => {
    const status = init[i];
    return isSidecar(container) ? status?.started !== true : status?.ready !== true;
  });
  if (incomplete.length === 0) return INITIALIZED;
  const names = listed(incomplete.map(({ name }) => name));
  return no('Initialized', 'ContainersNotInitialized', `containers with incomplete status: ${names}`);
}

/** Readiness gates are conditions that other controllers set; the pod is Ready only when all of them are True. */
function gatesFact(pod: Pod): Fact {
  const gates = pod.spec.readinessGates;
  if (gates === undefined || gates.length === 0) return READY;
  const closed = gates.flatMap(({ conditionType }) => {
    const condition = pod.status?.conditions?.find(({ type }) => type === conditionType);
    const name = JSON.stringify(conditionType);
    if (condition === undefined) return [`corresponding condition of pod readiness gate ${name} does not exist.`];
    if (condition.status === 'True') return [];
    return [`the status of pod readiness gate ${name} is not "True", but ${condition.status}`];
  });
  return closed.length === 0 ? READY : no('Ready', 'ReadinessGatesNotReady', closed.join(', '));
}

/** The conditions after a sync; the old list itself when it is right already. */
export function nextConditions(pod: Pod, state: ConditionFacts, now: string): Conditions {
  const old = pod.status?.conditions ?? NONE;
  const facts = factsOf(pod, state);
  const { generation } = pod.metadata;
  if (facts.every((fact) => says(old, fact, generation))) return old;
  return remembered(old, facts, generation, now);
}

const NONE: Conditions = Object.freeze([]);

/**
 * Whether the fact is a condition of the pod's present generation: `kubectl wait` believes none of an older generation.
 */
function says(conditions: Conditions, fact: Fact, generation: number | undefined): boolean {
  const condition = conditions.find(({ type }) => type === fact.type);
  if (condition === undefined || !isSame(condition, fact)) return false;
  return condition.observedGeneration === undefined || condition.observedGeneration === generation;
}

const isSame = (condition: PodCondition, { isTrue, reason, message }: Fact): boolean =>
  condition.status === (isTrue ? 'True' : 'False') &&
  (condition.reason ?? '') === (reason ?? '') &&
  (condition.message ?? '') === (message ?? '');

/** Arguments of `remembered`. The last ones nearly always come again, with the very same list, facts and second. */
interface Question {
  readonly old: Conditions;
  readonly facts: readonly Fact[];
  readonly generation: number | undefined;
  readonly now: string;
}

let last: Question & { readonly result: Conditions } = {
  old: NONE,
  facts: [],
  generation: undefined,
  now: '',
  result: NONE,
};

const cache = new Map<string, Conditions>();
const CACHE_SIZE = 64;
const USUAL = 6;

/** Thousands of pods come from the same conditions to the same in one second: they share the list. */
function remembered(old: Conditions, facts: readonly Fact[], generation: number | undefined, now: string): Conditions {
  if (last.old === old && last.facts === facts && last.generation === generation && last.now === now) {
    return last.result;
  }
  const result = old.length > USUAL ? merged(old, facts, generation, now) : alike(old, facts, generation, now);
  last = { old, facts, generation, now, result };
  return result;
}

function alike(old: Conditions, facts: readonly Fact[], generation: number | undefined, now: string): Conditions {
  const key = JSON.stringify([now, generation, facts === ALL_WELL ? '' : facts, old]);
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= CACHE_SIZE) cache.clear();
  const conditions = merged(old, facts, generation, now);
  cache.set(key, conditions);
  return conditions;
}

/** Keeps conditions of other owners, and the transition time of unchanged ones. */
function merged(old: Conditions, facts: readonly Fact[], generation: number | undefined, now: string): Conditions {
  const mine = facts.map((fact): PodCondition => {
    const before = old.find(({ type }) => type === fact.type);
    if (before !== undefined && isSame(before, fact) && before.observedGeneration === generation) return before;
    const status = fact.isTrue ? 'True' : 'False';
    return {
      type: fact.type,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      status,
      ...(fact.reason === undefined ? {} : { reason: fact.reason }),
      ...(fact.message === undefined ? {} : { message: fact.message }),
      lastTransitionTime: before?.status === status ? (before.lastTransitionTime ?? now) : now,
    };
  });
  return [...old.filter(({ type }) => !facts.some((fact) => fact.type === type)), ...mine];
}
