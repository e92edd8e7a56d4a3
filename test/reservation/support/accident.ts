/** A write of a controller goes wrong: its answer is lost, it does not happen, or the controller ends with it. */
import { timeout } from '../../../src/core/kube/status-error.ts';
import type { Client } from '../../../src/machinery/client/client.ts';

export interface Accident {
  /** Which write it happens at, from 0 on. */
  readonly at: number;
  /** `ends`: the controller does. `lost`: only the answer is. `refused`: the write does not happen. */
  readonly sort: 'ends' | 'lost' | 'refused';
}

/** Counts the writes; at one of them the accident happens. */
export function withAccident({ at, sort }: Accident, struck: () => void): (client: Client) => Client {
  let writes = 0;
  return (client) => {
    let isDead = false;
    const dead = <T>(): Promise<T> => new Promise(() => undefined);
    async function write<T>(send: () => Promise<T>): Promise<T> {
      if (isDead) return dead();
      const isIt = writes === at;
      writes += 1;
      if (isIt && sort === 'refused') throw timeout('it was not done');
      const answer = await send();
      if (!isIt) return answer;
      if (sort === 'lost') throw timeout('it was done');
      isDead = true;
      struck();
      return dead();
    }
    const read = <T>(send: () => Promise<T>): Promise<T> => (isDead ? dead() : send());
    return {
      ...client,
      get: (...args) => read(() => client.get(...args)),
      create: (...args) => write(() => client.create(...args)),
      update: (...args) => write(() => client.update(...args)),
      patch: (...args) => write(() => client.patch(...args)),
      delete: (...args) => write(() => client.delete(...args)),
      bind: (...args) => write(() => client.bind(...args)),
    };
  };
}
