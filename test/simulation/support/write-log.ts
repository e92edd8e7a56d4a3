/** A client that remembers every write that goes through it and fails those a test asks it to. */
import type { Client } from '../../../src/machinery/client/client.ts';
import { StatusError } from '../../../src/core/kube/status-error.ts';

const WRITES = new Set(['create', 'update', 'patch', 'apply', 'delete', 'deleteCollection', 'bind', 'evict']);

export interface Write {
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
}

export type Fault =
  /** The write never reached the server. */
  | { readonly before: Error }
  /** It did, and the answer was lost. */
  | { readonly after: Error };

export interface WriteLog {
  readonly client: Client;
  readonly all: readonly Write[];
  /** Writes but for Leases and Events: those that must end when the world stops changing. */
  readonly lasting: readonly Write[];
  /** Asked before every write; undefined lets it pass. */
  fail: ((write: Write, count: number) => Fault | undefined) | undefined;
}

export const UNAVAILABLE = new StatusError(503, 'ServiceUnavailable', 'the server is on holiday');
export const TIMED_OUT = new StatusError(504, 'Timeout', 'request did not complete in time');

export function createWriteLog(inner: Client): WriteLog {
  const all: Write[] = [];
  const log: WriteLog = {
    all,
    get lasting() {
      return all.filter(({ resource }) => resource !== 'leases' && resource !== 'events');
    },
    fail: undefined,
    client: new Proxy(inner, {
      get(target, property, receiver) {
        const member: unknown = Reflect.get(target, property, receiver);
        if (typeof member !== 'function' || typeof property !== 'string' || !WRITES.has(property)) return member;
        return async (...args: unknown[]) => {
          const write = describe(property, args);
          all.push(write);
          const fault = log.fail?.(write, all.length);
          if (fault !== undefined && 'before' in fault) throw fault.before;
          const result: unknown = await member.apply(target, args);
          if (fault !== undefined) throw fault.after;
          return result;
        };
      },
    }),
  };
  return log;
}

function describe(verb: string, args: readonly unknown[]): Write {
  if (verb === 'bind' || verb === 'evict') {
    return {
      verb,
      resource: 'pods',
      name: (args[0] as { name: string }).name,
      subresource: verb === 'bind' ? 'binding' : 'eviction',
    };
  }
  const { resource } = args[0] as { resource: string };
  const second = args[1] as { name?: string; metadata?: { name: string } };
  const options = (verb === 'patch' ? args[3] : args[2]) as { subresource?: string } | undefined;
  return { verb, resource, name: second.metadata?.name ?? second.name ?? '', subresource: options?.subresource ?? '' };
}
