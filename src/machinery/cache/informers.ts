/** One shared informer for each (client, resource, scope): ten controllers that look at nodes hold them once. */
import { SYSTEM_TENANT, type KubeObject, type Resource } from '../../core/kube/objects.ts';
import type { Actor } from '../actor.ts';
import { aborted } from '../time/abort.ts';
import type { Client } from '../client/client.ts';
import { createInformer, type Informer, type InformerOptions } from './informer.ts';
import type { ReflectorScope } from './reflector/reflector-options.ts';

export interface Informers extends Actor {
  /** The informer of this resource and scope, made at the first call and started when the factory is. */
  for<T extends KubeObject>(resource: Resource<T>, scope?: ReflectorScope): Informer<T>;
  /** Resolves when every informer asked for so far is filled. */
  synced(signal?: AbortSignal): Promise<void>;
  ready(): boolean;
  /** The informers asked for so far. */
  all(): Iterable<Informer<KubeObject>>;
}

export function createInformers(client: Client, options: InformerOptions): Informers {
  const informers = new Map<string, Informer<KubeObject>>();
  /** The runs under way; a failed one is kept so that `start` can report it. */
  const runs: Promise<void>[] = [];
  let running: AbortSignal | undefined;
  const failure = Promise.withResolvers<never>();

  const launch = (informer: Informer<KubeObject>, signal: AbortSignal): void => {
    const run = informer.run(signal);
    run.catch(failure.reject);
    runs.push(run);
  };

  return {
    name: 'informers',
    for<T extends KubeObject>(resource: Resource<T>, scope: ReflectorScope = {}): Informer<T> {
      const key = JSON.stringify([
        resource.group,
        resource.version,
        resource.resource,
        scope.tenant ?? SYSTEM_TENANT,
        scope.namespace ?? '',
        scope.labelSelector ?? '',
        scope.fieldSelector ?? '',
      ]);
      const known = informers.get(key);
      if (known !== undefined) return known as unknown as Informer<T>;
      const informer = createInformer(client, resource, scope, options);
      const untyped = informer as unknown as Informer<KubeObject>;
      informers.set(key, untyped);
      if (running !== undefined && !running.aborted) launch(untyped, running);
      return informer;
    },
    ready: () => informers.values().every((informer) => informer.hasSynced()),
    all: () => informers.values(),
    async synced(signal) {
      await Promise.all(Array.from(informers.values(), (informer) => informer.synced(signal)));
    },
    async start(signal) {
      running = signal;
      for (const informer of informers.values()) launch(informer, signal);
      await Promise.race([aborted(signal), failure.promise]);
      await Promise.all(runs);
    },
  };
}
