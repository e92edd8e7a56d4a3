/**
 * Kinds of ours that an embedded server serves: those of the controllers that run in it. All other names are free for definitions
 * of users, and objects stored under a name that is not served are kept, unseen.
 */
import { defaultDefinition } from '../../core/api/custom/crd/defaults.ts';
import type { HeldNames } from '../../core/api/custom/crd/held-names.ts';
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import { ownKinds } from '../../core/api/registry/built-in-kinds.ts';
import type { CustomResourceDefinition } from '../../core/api/types/apiextensions-v1.ts';
import type { ControllerRow } from './entry.ts';

export interface ServedKinds {
  /** To be registered from the first moment on. */
  readonly builtIn: readonly KindDefinition[];
  /** To be written at the start. */
  readonly defined: readonly CustomResourceDefinition[];
  /** Names that definitions of users may not have. */
  readonly held: readonly HeldNames[];
}

type Keeper = Pick<ControllerRow, 'name' | 'kinds'>;

export function servedKinds(running: readonly Keeper[]): ServedKinds {
  const served = running.map(servedBy);
  return {
    builtIn: served.flatMap(({ builtIn }) => builtIn),
    defined: served.flatMap(({ defined }) => defined),
    held: served.flatMap(({ held }) => held),
  };
}

const titleOf = (name: string): string => (name.endsWith('-controller') ? name : `${name}-controller`);

function servedBy({ name, kinds: { builtIn = [], defined = () => [] } = {} }: Keeper): ServedKinds {
  const why = `${titleOf(name)} of this server keeps it; everynode up --controllers='*,-${name}' gives it up`;
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
