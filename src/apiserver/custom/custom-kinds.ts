/**
 * Serves what CustomResourceDefinitions define: follows them in the store and keeps the registry as they are. What was
 * stored before this process began is served before anything else is.
 */
import { customKinds } from '../../core/api/custom/custom-kind.ts';
import { type HeldNames, servedDefinition } from '../../core/api/custom/crd/held-names.ts';
import { isConditionTrue } from '../../core/api/custom/crd/conditions.ts';
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { Registry } from '../../core/api/registry/registry.ts';
import type { CustomResourceDefinition } from '../../core/api/types/apiextensions-v1.ts';
import { deepEqual } from '../../core/kube/immutable.ts';
import { type Stored, SYSTEM_TENANT } from '../../core/kube/objects.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import { StoreStatusError } from '../store/errors.ts';
import type { Store, StoreEvent } from '../store/store.ts';
import type { ConvertObjects } from './conversion.ts';
import { createCustomView, type CustomView } from './custom-view.ts';

export interface CustomKindsOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly convert: ConvertObjects;
  readonly logger?: Logger | undefined;
  /** Names that controllers of this server keep; none unless given. */
  readonly held?: readonly HeldNames[];
}

export interface CustomKinds {
  /** The store as this kind sees it. */
  viewOf(kind: KindDefinition): Store;
  /** The definition a custom kind was made from. */
  definitionOf(kind: KindDefinition): CustomResourceDefinition | undefined;
}

const DEFINITIONS = { tenant: SYSTEM_TENANT, group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };

interface Served {
  readonly definition: Stored<CustomResourceDefinition>;
  readonly kinds: readonly KindDefinition[];
}

export function createCustomKinds(options: CustomKindsOptions): CustomKinds {
  const { convert, held = [], logger, registry, store } = options;
  const served = new Map<string, Served>();
  const views = new WeakMap<KindDefinition, CustomView>();
  const definitions = new WeakMap<KindDefinition, CustomResourceDefinition>();

  const kindsOf = (definition: Stored<CustomResourceDefinition>): readonly KindDefinition[] => {
    try {
      return customKinds(definition);
    } catch (error) {
      logger?.error('a custom resource definition cannot be served', { name: definition.metadata.name, error });
      return [];
    }
  };

  /** Built-in kinds, and kinds of other definitions, are not replaced by a definition. */
  const isFree = (kind: KindDefinition, own: readonly KindDefinition[]): boolean => {
    const taken = registry.byResource(kind.group, kind.version, kind.resource);
    return taken === undefined || own.includes(taken);
  };

  function serve(name: string, stored: Stored<CustomResourceDefinition> | undefined): void {
    const definition = stored === undefined ? undefined : servedDefinition(stored, held);
    const before = served.get(name);
    if (before !== undefined && definition !== undefined && isSameToServe(before.definition, definition)) {
      served.set(name, { ...before, definition });
      return;
    }
    const old = before?.kinds ?? [];
    const kinds = definition === undefined ? [] : kindsOf(definition).filter((kind) => isFree(kind, old));
    if (definition === undefined) served.delete(name);
    else {
      for (const kind of kinds) definitions.set(kind, definition);
      served.set(name, { definition, kinds });
    }
    if (old.length + kinds.length > 0) registry.replace(old, kinds);
    for (const kind of old) views.get(kind)?.retire();
  }

  function follow(): void {
    const since = store.revision;
    const found = new Set<string>();
    for (const object of store.list(DEFINITIONS)) {
      found.add(object.metadata.name);
      serve(object.metadata.name, object as Stored<CustomResourceDefinition>);
    }
    for (const name of [...served.keys()]) if (!found.has(name)) serve(name, undefined);
    store.watch(
      DEFINITIONS,
      { since },
      {
        events(events: readonly StoreEvent[]) {
          for (const { name, object, type } of events) {
            serve(name, type === 'DELETED' ? undefined : (object as Stored<CustomResourceDefinition>));
          }
        },
        closed(reason) {
          // Fallen behind: look at everything again. A store that shuts down has no more to say.
          if (reason instanceof StoreStatusError && reason.storeCode === 'EN_STORE_CLOSED') return;
          try {
            follow();
          } catch (error) {
            logger?.warn('custom resource definitions are no longer followed', { error });
          }
        },
      },
    );
  }
  follow();

  return {
    viewOf(kind) {
      let view = views.get(kind);
      if (view === undefined) {
        view = createCustomView(store, kind, convert);
        views.set(kind, view);
        // The caller holds a kind that was replaced meanwhile.
        if (registry.byResource(kind.group, kind.version, kind.resource) !== kind) view.retire();
      }
      return view.store;
    },
    definitionOf: (kind) => definitions.get(kind),
  };
}

/** Whether two definitions do not differ in anything that is served. */
const isSameToServe = (a: CustomResourceDefinition, b: CustomResourceDefinition): boolean =>
  isConditionTrue(a, 'Established') === isConditionTrue(b, 'Established') &&
  isConditionTrue(a, 'Terminating') === isConditionTrue(b, 'Terminating') &&
  deepEqual(a.spec, b.spec) &&
  deepEqual(a.status?.acceptedNames, b.status?.acceptedNames);
