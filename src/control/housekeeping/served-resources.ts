/** Which of the kinds that are served the house-keepers have to do with. */
import type { KindDefinition } from '../../core/api/kind-definition.ts';
import { isPrincipal } from '../../core/api/registry/registry.ts';

const isKeeper = (kind: KindDefinition): boolean =>
  isPrincipal(kind) && kind.verbs.includes('list') && kind.verbs.includes('delete');

/** Kinds that may own and be owned. Events are not: they go by age, and there are many. */
export const collectableResources = (served: readonly KindDefinition[]): readonly KindDefinition[] =>
  served.filter((kind) => isKeeper(kind) && kind.verbs.includes('watch') && kind.resource !== 'events');

/** Kinds whose objects go with their namespace, each in the form that is stored. */
export const namespacedResources = (served: readonly KindDefinition[]): readonly KindDefinition[] =>
  served.filter((kind) => kind.namespaced && isKeeper(kind));
