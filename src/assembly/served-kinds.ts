/**
 * Which kinds of ours a server serves: those that a controller of its own keeps, while it runs. Whoever adds such a controller adds a
 * row. All other names are free for definitions of users, and what is stored under a name that nobody serves is kept, unseen.
 */
import { componentDefinitions } from '../core/api/component/definitions.ts';
import { defaultDefinition } from '../core/api/custom/crd/defaults.ts';
import type { HeldNames } from '../core/api/custom/crd/held-names.ts';
import type { KindDefinition } from '../core/api/kind/kind-definition.ts';
import { ownKinds } from '../core/api/registry/built-in-kinds.ts';
import type { CustomResourceDefinition } from '../core/api/types/apiextensions-v1.ts';
import { CONTROLLERS, type ControllerName } from './controllers.ts';

export interface KeptKinds {
  readonly controller: ControllerName;
  /** Built-in kinds, by the names that definitions of them would have: `orders.core.korder.dev`. */
  readonly builtIn?: readonly string[];
  /** Kinds that are defined by definitions, as on any other cluster. */
  readonly defined?: () => readonly CustomResourceDefinition[];
}

const KEPT_KINDS: readonly KeptKinds[] = [{ controller: 'component-controller', defined: componentDefinitions }];

export interface ServedKinds {
  /** To be registered from the first moment on. */
  readonly builtIn: readonly KindDefinition[];
  /** To be written at the start. */
  readonly defined: readonly CustomResourceDefinition[];
  /** What users' definitions may not be called. */
  readonly held: readonly HeldNames[];
}

export function servedKinds(
  runs: (controller: ControllerName) => boolean,
  table: readonly KeptKinds[] = KEPT_KINDS,
): ServedKinds {
  const rows = table.filter(({ controller }) => runs(controller)).map(servedBy);
  return {
    builtIn: rows.flatMap(({ builtIn }) => builtIn),
    defined: rows.flatMap(({ defined }) => defined),
    held: rows.flatMap(({ held }) => held),
  };
}

function servedBy({ controller, builtIn = [], defined = () => [] }: KeptKinds): ServedKinds {
  const why = `${controller} of this server keeps it; everynode up --controllers='*,-${CONTROLLERS[controller]}' gives it up`;
  const kinds = builtIn.length === 0 ? [] : ownKinds(builtIn);
  const definitions = defined();
  return {
    builtIn: kinds,
    defined: definitions,
    held: [
      ...kinds.map(({ group, kind, listKind, resource, shortNames, singular }) => ({
        group,
        names: { plural: resource, singular, kind, listKind, shortNames },
        why,
      })),
      ...definitions.map((definition) => {
        const { spec } = defaultDefinition(definition);
        return { group: spec.group, names: spec.names, why, spec };
      }),
    ],
  };
}
