/** State of the component controller, and of one reconcile. The functions of this folder take one of the two. */
import type { Stored } from '../../../core/kube/objects.ts';
import type { ReconcileResult } from '../../../machinery/controller/controller.ts';
import type { RateLimitingQueue } from '../../../machinery/controller/workqueue/rate-limiting-queue.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { EventRecorder } from '../../../machinery/events/event-recorder.ts';
import type { Logger } from '../../../machinery/logging/logger.ts';
import type { Random } from '../../../machinery/random/random.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import type { ApplyContext } from '../apply/rendered.ts';
import type { ChildCaches } from './child-caches.ts';
import type { ComponentKinds, FollowedKind } from './component-kinds.ts';
import type { ComponentObject } from './component-object.ts';
import type { SecretWatch } from './secret-watch.ts';
import type { TrackedComponent } from './tracked-component.ts';

export interface ControllerState {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly recorder: EventRecorder;
  /** Keys of custom resources, `group/namespace/name`. */
  readonly queue: Pick<RateLimitingQueue<string>, 'add' | 'addAfter'>;
  /** Informers of the custom resources, one for each group whose definition is served. */
  readonly kinds: ComponentKinds;
  /** Watches exactly the Secrets that tracked components name and do not bring. */
  readonly secrets: SecretWatch;
  /** By queue key; an entry exists from the first reconcile of a custom resource until the resource is gone or released. */
  readonly components: Map<string, TrackedComponent>;
  /** Undefined until the first definition is served: a cluster without components is not watched. Never replaced afterwards. */
  children: ChildCaches | undefined;
}

/** One reconcile of one custom resource. */
export interface Reconcile {
  readonly state: ControllerState;
  readonly kind: FollowedKind;
  readonly tracked: TrackedComponent;
  /** Synced. */
  readonly children: ChildCaches;
  readonly signal: AbortSignal;
  /** Newest known version of the custom resource; replaced after each write of this reconcile. */
  object: Stored<ComponentObject>;
}

export type Requeue = ReconcileResult | undefined;

/** A worker retries a request only this long; after that the queue retries, and the worker is free for other components. */
const RETRY_FOR_MS = 3_000;

export const applyContext = ({ state: { client, clock, random }, signal }: Reconcile): ApplyContext => ({
  client,
  clock,
  random,
  signal,
  retryForMs: RETRY_FOR_MS,
});

export function forget({ components, secrets }: ControllerState, { key }: TrackedComponent): void {
  components.delete(key);
  secrets.want(key, '', []);
}
