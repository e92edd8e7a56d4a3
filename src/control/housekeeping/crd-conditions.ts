/**
 * Gives every CustomResourceDefinition its names and says in its status whether it is served: NamesAccepted first, then
 * Established, each in a write of its own, as clients that watch for them expect. A name that is freed may be what another
 * definition of the group waits for.
 */
import { withApprovalCondition } from '../../core/api/custom/crd/approval.ts';
import { type HeldNames, withheldFrom } from '../../core/api/custom/crd/held-names.ts';
import { usedNames, withAcceptedNames, withEstablished } from '../../core/api/custom/crd/naming.ts';
import { withStructureCondition } from '../../core/api/custom/crd/structure-condition.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../core/api/types/apiextensions-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { formatTime } from '../../core/kube/time.ts';
import type { Actor } from '../../machinery/actor.ts';
import { createController } from '../../machinery/controller/controller.ts';
import { silentLogger } from '../../machinery/logging/logger.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';

export type DefinitionKeeperOptions = Surroundings;

export interface DefinitionConditionsOptions extends DefinitionKeeperOptions {
  /** Names that controllers of this server keep; none unless given. */
  readonly held?: readonly HeldNames[];
}

type Definition = Stored<CustomResourceDefinition>;

export function createDefinitionConditions(options: DefinitionConditionsOptions): Actor {
  const { client, clock, held = [], informers, random } = options;
  const definitions = informers.for(CUSTOM_RESOURCE_DEFINITIONS);
  /** Own writes that the cache may not show yet: two definitions must not both get a name. */
  const written = new Map<string, Definition>();

  const newest = (definition: Definition): Definition => {
    const own = written.get(definition.metadata.name);
    if (own === undefined || own.metadata.uid !== definition.metadata.uid) return definition;
    return Number(own.metadata.resourceVersion) > Number(definition.metadata.resourceVersion) ? own : definition;
  };

  /** The definition with its next condition; the very same definition when all are set. */
  function next(definition: Definition): Definition {
    const now = formatTime(clock.now());
    const others = Array.from(definitions.lister.list(), newest).filter(
      ({ metadata }) => metadata.name !== definition.metadata.name,
    );
    const used = usedNames(others, definition.spec.group);
    const named = withAcceptedNames(definition, used, now, withheldFrom(definition, held));
    if (named !== definition) return named;
    const established = withEstablished(definition, now);
    if (established !== definition) return established;
    return withApprovalCondition(withStructureCondition(definition, now), now);
  }

  async function judge(name: string, signal: AbortSignal): Promise<void> {
    const seen = definitions.lister.get(name);
    if (seen === undefined) {
      written.delete(name);
      return;
    }
    let current = newest(seen);
    for (let told = next(current); told !== current; told = next(current)) {
      try {
        current = await client.update(CUSTOM_RESOURCE_DEFINITIONS, told, { subresource: 'status', signal });
      } catch (error) {
        // Changed or gone meanwhile: the event requeues the definition.
        if (isStatus(error, 'Conflict') || isStatus(error, 'NotFound')) return;
        throw error;
      }
      written.set(name, current);
    }
  }

  return createController<string>({
    name: 'customresourcedefinition-conditions',
    reconcile: judge,
    clock,
    random,
    logger: options.logger ?? silentLogger,
    concurrency: 1,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  }).watch(definitions, ({ metadata: { name }, spec: { group } }, { old, object, type }) => {
    const freesNames = type === 'delete' || old?.status?.acceptedNames !== object.status?.acceptedNames;
    if (!freesNames) return [name];
    const siblings = Array.from(definitions.lister.list()).filter((each) => each.spec.group === group);
    return [name, ...siblings.map((each) => each.metadata.name)];
  });
}
