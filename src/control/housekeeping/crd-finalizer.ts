/**
 * A deleted CustomResourceDefinition takes its objects along: they are deleted first, and when none is left the
 * definition loses the finalizer that kept it.
 */
import { CLEANUP_FINALIZER } from '../../core/api/kinds/custom-resource-definition.ts';
import { isConditionTrue, withCondition, type ConditionWords } from '../../core/api/custom/crd/conditions.ts';
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../core/api/types/apiextensions-v1.ts';
import { isBeingDeleted } from '../../core/kube/finalizers.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus, StatusError } from '../../core/kube/status-error.ts';
import { formatTime } from '../../core/kube/time.ts';
import type { Actor } from '../../machinery/actor.ts';
import { createController, type ReconcileResult } from '../../machinery/controller/controller.ts';
import { silentLogger } from '../../machinery/logging/logger.ts';
import type { DefinitionKeeperOptions } from './crd-conditions.ts';

export interface DefinitionFinalizerOptions extends DefinitionKeeperOptions {
  /** Kinds as they are served now. */
  readonly served: () => readonly KindDefinition[];
}

type Definition = Stored<CustomResourceDefinition>;

const terminating = (status: ConditionWords['status'], reason: string, message: string): ConditionWords => ({
  type: 'Terminating',
  status,
  reason,
  message,
});
const IN_PROGRESS = terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
const COMPLETED = terminating('False', 'InstanceDeletionCompleted', 'removed all instances');
const NEVER_ESTABLISHED = terminating('False', 'NeverEstablished', 'resource was never established');
const OVERLAPPING = terminating(
  'False',
  'OverlappingBuiltInResource',
  'instances overlap with built-in resources in storage',
);

const SOONEST_MS = 100;
const LATEST_MS = 5_000;

export function createDefinitionFinalizer(options: DefinitionFinalizerOptions): Actor {
  const { client, clock, informers, random } = options;
  const definitions = informers.for(CUSTOM_RESOURCE_DEFINITIONS);
  /** Reconciles of definitions whose objects were still terminating, by UID. */
  const looks = new Map<string, number>();

  const say = (definition: Definition, words: ConditionWords): Definition =>
    withCondition(definition, words, formatTime(clock.now()));

  const update = (definition: Definition, signal: AbortSignal): Promise<Definition> =>
    client.update(CUSTOM_RESOURCE_DEFINITIONS, definition, { subresource: 'status', signal });

  async function end(name: string, signal: AbortSignal): Promise<ReconcileResult | void> {
    const seen = definitions.lister.get(name);
    if (seen === undefined || !isEnding(seen)) return;
    try {
      const told = say(seen, IN_PROGRESS);
      const current = told === seen ? seen : await update(told, signal);
      const outcome = await removeInstances(current, signal);
      if (outcome === undefined) {
        const count = looks.get(current.metadata.uid) ?? 0;
        looks.set(current.metadata.uid, count + 1);
        return { requeueAfterMs: Math.min(SOONEST_MS * 2 ** Math.min(count, 10), LATEST_MS) };
      }
      looks.delete(current.metadata.uid);
      const finalizers = (current.metadata.finalizers ?? []).filter((each) => each !== CLEANUP_FINALIZER);
      const done = say(current, outcome);
      await update({ ...done, metadata: { ...done.metadata, finalizers } }, signal);
    } catch (error) {
      // Changed or gone meanwhile: the event requeues the definition.
      if (!isStatus(error, 'Conflict') && !isStatus(error, 'NotFound')) throw error;
    }
  }

  /** Final words of the condition Terminating; undefined while objects remain. */
  async function removeInstances(definition: Definition, signal: AbortSignal): Promise<ConditionWords | undefined> {
    const { group, names } = definition.spec;
    const plural = definition.status?.acceptedNames?.plural || names.plural;
    const kinds = options.served().filter((each) => each.group === group && each.resource === plural);
    if (kinds.some((kind) => kind.custom === undefined)) return OVERLAPPING;
    if (!isConditionTrue(definition, 'Established')) return NEVER_ESTABLISHED;
    const kind = kinds.find((each) => each.secondary !== true);
    // No version is served, so no object can be requested; stored objects stay unseen, as before.
    if (kind === undefined) return COMPLETED;
    try {
      const { items } = await client.list(kind, { limit: 1, signal });
      if (items.length === 0) return COMPLETED;
      await client.deleteCollection(kind, { propagationPolicy: 'Background', signal });
      const left = await client.list(kind, { limit: 1, signal });
      return left.items.length === 0 ? COMPLETED : undefined;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const message = `could not list instances: ${error.message}`;
      const failed = say(definition, terminating('True', 'InstanceDeletionFailed', message));
      if (failed !== definition) await update(failed, signal);
      return undefined;
    }
  }

  return createController<string>({
    name: 'customresourcedefinition-finalizer',
    reconcile: end,
    clock,
    random,
    logger: options.logger ?? silentLogger,
    concurrency: 4,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  }).watch(definitions, (definition, { type }) => {
    if (type === 'delete') looks.delete(definition.metadata.uid);
    return type !== 'delete' && isEnding(definition) ? [definition.metadata.name] : [];
  });
}

const isEnding = (definition: Definition): boolean =>
  isBeingDeleted(definition) && definition.metadata.finalizers?.includes(CLEANUP_FINALIZER) === true;
