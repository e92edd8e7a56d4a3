/** Stands between a controller and the server: counts its writes, or ends it after one of them. */
import type { Client } from '../../../src/machinery/client/client.ts';
import type { Random } from '../../../src/machinery/random/random.ts';

/** Writes by verb and resource: `create tickets`, `update orders/status`. */
export type Writes = Map<string, number>;

/** @param around is called for each write with its name and the request itself. */
function watched(client: Client, around: <T>(what: string, request: () => Promise<T>) => Promise<T>): Client {
  const at = (verb: string, resource: string, subresource: string | undefined): string =>
    `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
  return {
    ...client,
    create: (resource, object, options) =>
      around(at('create', resource.resource, options?.subresource), () => client.create(resource, object, options)),
    update: (resource, object, options) =>
      around(at('update', resource.resource, options?.subresource), () => client.update(resource, object, options)),
    patch: (resource, key, patch, options) =>
      around(at('patch', resource.resource, options?.subresource), () => client.patch(resource, key, patch, options)),
    delete: (resource, key, options) =>
      around(at('delete', resource.resource, undefined), () => client.delete(resource, key, options)),
  };
}

/** Events are left out: they are no part of what a controller decides. */
export function counting(client: Client, writes: Writes): Client {
  return watched(client, (what, request) => {
    if (!what.endsWith(' events')) writes.set(what, (writes.get(what) ?? 0) + 1);
    return request();
  });
}

/** Ends a controller: from some write on nothing that it sends arrives, as after a crash. */
export interface Crash {
  /** So many writes are still done. Undefined: any number. */
  left: number | undefined;
  /** Whether the last of them is answered before the end. */
  isAnswered: boolean;
  /** The last write has been done. */
  hasHappened: boolean;
}

export const newCrash = (left?: number, isAnswered = true): Crash => ({ left, isAnswered, hasHappened: false });

export function crashing(client: Client, crash: Crash): Client {
  const lost = (): Error => new Error('connection lost');
  return watched(client, async (what, request) => {
    if (crash.hasHappened) throw lost();
    if (crash.left === undefined || what.endsWith(' events')) return request();
    crash.left -= 1;
    crash.hasHappened = crash.left <= 0;
    const answer = await request();
    if (crash.hasHappened && !crash.isAnswered) throw lost();
    return answer;
  });
}

/** Loses some of the answers, and some of the requests. */
export function losing(client: Client, random: Random, share: number): Client {
  const lost = (): Error => new Error('connection lost');
  return watched(client, async (what, request) => {
    if (what.endsWith(' events')) return request();
    if (random.next() < share / 2) throw lost();
    const answer = await request();
    if (random.next() < share / 2) throw lost();
    return answer;
  });
}
