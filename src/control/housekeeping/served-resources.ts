/** Which of the kinds that are served the house-keepers have to do with. */
import type { KindDefinition } from '../../core/api/kind-definition.ts';

const isKeeper = ({ conversion, verbs }: KindDefinition): boolean =>
  conversion === undefined && verbs.includes('list') && verbs.includes('delete');

/** Kinds that may own and be owned. Events are not: they go by age, and there are many. */
export const collectableResources = (served: readonly KindDefinition[]): readonly KindDefinition[] =>
  served.filter((kind) => isKeeper(kind) && kind.verbs.includes('watch') && kind.resource !== 'events');

/** Kinds whose objects go with their namespace, each in the form that is stored. */
export const namespacedResources = (served: readonly KindDefinition[]): readonly KindDefinition[] =>
  served.filter((kind) => kind.namespaced && isKeeper(kind));
