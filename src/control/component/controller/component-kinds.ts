/**
 * The custom resources, as their definitions come and go. Of each group one version is followed: the first of ours that is served;
 * the API server gives every object in that one, whatever it was written in. A definition that is not there costs one quiet watch.
 */
import { COMPONENT_KIND, COMPONENT_PLURAL, GENERATIONS } from '../../../core/api/component/generations.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../../core/api/types/apiextensions-v1.ts';
import { isConditionTrue } from '../../../core/kube/conditions.ts';
import type { Resource } from '../../../core/kube/objects.ts';
import { aborted } from '../../../machinery/time/abort.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { createInformer, type Informer, type InformerOptions } from '../../../machinery/cache/informer.ts';
import type { Change } from '../../../machinery/cache/object-store.ts';
import type { ComponentObject } from './component-object.ts';

export const COMPONENT_GROUPS: readonly string[] = [...new Set(GENERATIONS.map(({ group }) => group))];

export interface FollowedKind {
  readonly resource: Resource<ComponentObject>;
  readonly informer: Informer<ComponentObject>;
}

export interface ComponentKinds {
  find(group: string): FollowedKind | undefined;
  all(): Iterable<FollowedKind>;
  /** Resolves when the definitions are cached. */
  synced(signal: AbortSignal): Promise<void>;
  /** True when the informers of all followed kinds are filled. */
  areFilled(): boolean;
  /** Definitions and kinds whose informers are not filled, or refused. */
  unknown(): readonly Resource[];
  start(signal: AbortSignal): Promise<void>;
}

export interface KindListener {
  /** Called once, when the first definition is served: before that no component can exist. */
  firstServed(): void;
  changed(group: string, change: Change<ComponentObject>): void;
}

/** The version to read; undefined where the definition is not established. */
function versionToFollow(definition: CustomResourceDefinition): string | undefined {
  if (!isServed(definition)) return undefined;
  const served = new Set(definition.spec.versions.filter((each) => each.served).map(({ name }) => name));
  return GENERATIONS.find(({ group, version }) => group === definition.spec.group && served.has(version))?.version;
}

const isServed = ({ status, spec }: CustomResourceDefinition): boolean =>
  isConditionTrue(status?.conditions, 'Established') && spec.names.kind === COMPONENT_KIND;

/** The informer was filled, and its watch goes on. */
export const isFollowed = ({ hasSynced, isRefused }: Pick<Informer<never>, 'hasSynced' | 'isRefused'>): boolean =>
  hasSynced() && !isRefused();

export interface ComponentKindsOptions extends InformerOptions {
  /** The server serves our definitions whatever the stored ones say, as long as they exist. */
  readonly keepsNames?: boolean;
}

export function createComponentKinds(
  client: Client,
  options: ComponentKindsOptions,
  listener: KindListener,
): ComponentKinds {
  const definitions = COMPONENT_GROUPS.map((group) => {
    const fieldSelector = `metadata.name=${COMPONENT_PLURAL}.${group}`;
    return { group, informer: createInformer(client, CUSTOM_RESOURCE_DEFINITIONS, { fieldSelector }, options) };
  });
  const followed = new Map<string, FollowedKind & { stop(): void }>();
  const runs = new Set<Promise<void>>();
  let wasServed = false;
  let running: AbortSignal | undefined;
  const registrations = definitions.map(({ group, informer }) =>
    informer.addHandler({
      batch(changes) {
        for (const { type, object } of changes) catchUp(group, type === 'delete' ? undefined : object);
      },
    }),
  );

  function follow(group: string, version: string, signal: AbortSignal): void {
    const ending = new AbortController();
    const resource: Resource<ComponentObject> = {
      group,
      version,
      resource: COMPONENT_PLURAL,
      kind: COMPONENT_KIND,
      namespaced: true,
    };
    const informer = createInformer(client, resource, {}, options);
    const registration = informer.addHandler({
      batch: (changes) => changes.forEach((change) => listener.changed(group, change)),
    });
    const run = informer.run(AbortSignal.any([signal, ending.signal])).catch(() => undefined);
    runs.add(run);
    void run.then(() => runs.delete(run));
    followed.set(group, {
      resource,
      informer,
      stop() {
        ending.abort();
        registration.remove();
      },
    });
    if (!wasServed) listener.firstServed();
    wasServed = true;
  }

  const versionOf = (group: string, definition: CustomResourceDefinition): string | undefined =>
    options.keepsNames === true
      ? GENERATIONS.find((generation) => generation.group === group)?.version
      : versionToFollow(definition);

  function catchUp(group: string, definition: CustomResourceDefinition | undefined): void {
    const known = followed.get(group);
    const version = definition === undefined ? undefined : versionOf(group, definition);
    if (known?.resource.version === version || running === undefined || running.aborted) return;
    known?.stop();
    followed.delete(group);
    if (version !== undefined) follow(group, version, running);
  }

  return {
    find: (group) => followed.get(group),
    all: () => followed.values(),
    async synced(signal) {
      await Promise.all(registrations.map((registration) => registration.synced(signal)));
    },
    areFilled: () => followed.values().every(({ informer }) => informer.hasSynced()),
    unknown: () =>
      [...definitions, ...followed.values()].flatMap(({ informer }) =>
        isFollowed(informer) ? [] : [informer.resource as Resource],
      ),
    async start(signal) {
      running = signal;
      const own = definitions.map(({ informer }) => informer.run(signal));
      await Promise.race([aborted(signal), Promise.all(own)]);
      for (const registration of registrations) registration.remove();
      await Promise.allSettled([...own, ...runs]);
    },
  };
}
