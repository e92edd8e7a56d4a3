/**
 * What clients asked of a server and were answered, with the order of beginnings and ends. One process records for all
 * clients, so a counter is clock enough. Every write writes a value of its own: a value tells which write it came from.
 */
import { CONFIG_MAPS } from '../../../src/core/api/registry/resources.ts';
import type { ConfigMap } from '../../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { StatusError } from '../../../src/core/kube/status-error.ts';
import type { Client } from '../../../src/machinery/client/client.ts';

export const NAMESPACE = 'default';
/** Others keep ConfigMaps too. */
export const SELECTOR = 'history=recorded';

/** An object as somebody saw it. */
export interface Sight {
  readonly name: string;
  readonly value: string;
  readonly revision: number;
}

export type Call =
  | { readonly verb: 'create'; readonly name: string; readonly value: string }
  | { readonly verb: 'get'; readonly name: string }
  | { readonly verb: 'list' }
  | { readonly verb: 'update'; readonly name: string; readonly value: string; readonly expected: Sight }
  | { readonly verb: 'delete'; readonly name: string; readonly expected: Sight | undefined };

export type Answer =
  /** A write or a get; `seen` is what it left, nothing for a delete. */
  | { readonly type: 'ok'; readonly seen: Sight | undefined }
  | { readonly type: 'list'; readonly revision: number; readonly items: readonly Sight[] }
  | { readonly type: 'exists' | 'conflict' | 'absent' }
  /** No answer came, or one that does not say whether it was done. */
  | { readonly type: 'unknown'; readonly why: string };

export interface Recorded {
  readonly call: Call;
  readonly begin: number;
  readonly end: number;
  readonly answer: Answer;
}

export const sightOf = (object: Stored<ConfigMap>): Sight => ({
  name: object.metadata.name,
  value: object.data?.['value'] ?? '',
  revision: Number(object.metadata.resourceVersion),
});

const objectOf = (name: string, value: string, revision?: number): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: NAMESPACE,
    labels: { history: 'recorded' },
    ...(revision === undefined ? {} : { resourceVersion: String(revision) }),
  },
  data: { value },
});

export class Recorder {
  readonly calls: Recorded[] = [];
  #ticks = 0;

  tick(): number {
    return (this.#ticks += 1);
  }

  async ask(client: Client, call: Call): Promise<Answer> {
    const begin = this.tick();
    const answer = await answerTo(client, call).catch(meaningOf);
    // What was not answered may still happen: see `endOfServer`.
    this.calls.push({ call, begin, end: answer.type === 'unknown' ? Infinity : this.tick(), answer });
    return answer;
  }

  /** The server is dead: what it has not answered was done before this, or never. */
  endOfServer(): void {
    const now = this.tick();
    for (const [at, recorded] of this.calls.entries()) {
      if (recorded.end === Infinity) this.calls[at] = { ...recorded, end: now };
    }
  }
}

async function answerTo(client: Client, call: Call): Promise<Answer> {
  switch (call.verb) {
    case 'create':
      return ok(await client.create(CONFIG_MAPS, objectOf(call.name, call.value)));
    case 'get':
      return ok(await client.get(CONFIG_MAPS, { namespace: NAMESPACE, name: call.name }));
    case 'list': {
      const list = await client.list(CONFIG_MAPS, { namespace: NAMESPACE, labelSelector: SELECTOR });
      return { type: 'list', revision: Number(list.resourceVersion), items: list.items.map(sightOf) };
    }
    case 'update':
      return ok(await client.update(CONFIG_MAPS, objectOf(call.name, call.value, call.expected.revision)));
    case 'delete':
      await client.delete(
        CONFIG_MAPS,
        { namespace: NAMESPACE, name: call.name },
        call.expected === undefined ? {} : { preconditions: { resourceVersion: String(call.expected.revision) } },
      );
      return { type: 'ok', seen: undefined };
  }
}

const ok = (object: Stored<ConfigMap>): Answer => ({ type: 'ok', seen: sightOf(object) });

/** Only answers that say for certain that nothing was done are taken for that. */
function meaningOf(error: unknown): Answer {
  const reason = error instanceof StatusError ? error.reason : undefined;
  if (reason === 'NotFound') return { type: 'absent' };
  if (reason === 'AlreadyExists') return { type: 'exists' };
  if (reason === 'Conflict') return { type: 'conflict' };
  return { type: 'unknown', why: String(error) };
}
