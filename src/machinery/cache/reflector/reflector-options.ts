/** A reflector's inputs: the scope it follows, the sink it fills, and how it reads. */
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import type { Scope, WatchEvent } from '../../client/client.ts';
import type { Logger } from '../../logging/logger.ts';
import type { Random } from '../../random/random.ts';
import type { Clock } from '../../time/clock.ts';

export type ObjectEvent<T extends KubeObject> = Exclude<WatchEvent<T>, { readonly type: 'BOOKMARK' }>;

/** The receiver of lists and events. Called from the reflector's own turn, never re-entered. */
export interface ReflectorSink<T extends KubeObject> {
  /** Returns the object to keep for one that was just decoded. Called per object as pages arrive, so that few whole objects exist at a time. */
  intern?(object: Stored<T>): Stored<T>;
  /** The whole state as of this version; objects that are not in it are gone. */
  replace(items: readonly Stored<T>[], resourceVersion: string): void;
  /** Changes after everything said before. */
  apply(events: readonly ObjectEvent<T>[], resourceVersion: string): void;
}

/** The objects to follow. */
export interface ReflectorScope extends Scope {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ReflectorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  /** Objects a page; 500 as client-go does. 0 reads everything at once. */
  readonly pageSize?: number;
  /** Read the state as the first events of a watch (Kubernetes 1.32 and later), which spares the server a big answer. */
  readonly streamingList?: boolean;
  /**
   * From which state a list may be answered first. `latest` (the default): the newest there is. `any`: the state that the
   * server has at hand (`resourceVersion=0`), as client-go reads, which spares etcd; later lists are never older than
   * `lastVersion`.
   */
  readonly startFrom?: 'latest' | 'any';
  /**
   * The server ends a watch after between once and twice this time, and the reflector ends it half a minute later, so that
   * a dead connection is noticed. 0: never, for servers in the same process.
   */
  readonly watchTimeoutMs?: number;
}
