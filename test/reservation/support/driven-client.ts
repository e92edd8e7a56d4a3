/** A client for tests: while they wait for an answer, what is due at the present instant happens. */
import type { Client } from '../../../src/machinery/client/client.ts';
import type { VirtualClock } from '../../../src/machinery/time/virtual-clock.ts';

export function driven(client: Client, clock: VirtualClock): Client {
  const drive = async <T>(answer: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    answer.then(settle, settle);
    while (!isSettled) await clock.drain();
    return answer;
  };
  return {
    ...client,
    get: (...args) => drive(client.get(...args)),
    list: (...args) => drive(client.list(...args)),
    create: (...args) => drive(client.create(...args)),
    update: (...args) => drive(client.update(...args)),
    patch: (...args) => drive(client.patch(...args)),
    delete: (...args) => drive(client.delete(...args)),
  };
}
