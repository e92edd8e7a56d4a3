/** Which of the kinds that are served the house-keepers have to do with. */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import { isPrincipal, type Registry } from '../../core/api/registry/registry.ts';
import type { ChangingKinds } from './changing-kinds.ts';

const isKeeper = (kind: KindDefinition): boolean =>
  isPrincipal(kind) && kind.verbs.includes('list') && kind.verbs.includes('delete');

const isCollectable = (kind: KindDefinition): boolean =>
  isKeeper(kind) && kind.verbs.includes('watch') && kind.resource !== 'events';

/** Kinds that may own and be owned. Events are not: they go by age, and there are many. Custom kinds: `customKindsOf`. */
export const collectableResources = (served: readonly KindDefinition[]): readonly KindDefinition[] =>
  served.filter((kind) => kind.custom === undefined && isCollectable(kind));

/** The custom kinds among those that own and are owned, as they come and go. */
export const customKindsOf = (registry: Registry): ChangingKinds => ({
  current: () => registry.all().filter((kind) => kind.custom !== undefined && isCollectable(kind)),
  onChange: (listener) => registry.onChange(listener),
});

/** Kinds whose objects go with their namespace, each in the form that is stored. */
export const namespacedResources = (served: readonly KindDefinition[]): readonly KindDefinition[] =>
  served.filter((kind) => kind.namespaced && isKeeper(kind));
