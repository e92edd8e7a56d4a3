/** Writers that never pause, and a watcher that resumes where it was cut off. */
import type { Http2Client, WireAnswer } from '../../hostile/support/wire-client.ts';
import { contentOf, seenIn, type Item, type Model, type Pending } from './model.ts';

export const PATH = '/api/v1/namespaces/default/configmaps';
export const SELECTED = `${PATH}?labelSelector=seq`;

let sequence = 0;

/** Works on its own names until the connection breaks; tells the model what it asks and what it was answered. */
export async function write(client: Http2Client, worker: number, model: Model, onAnswer: () => void): Promise<void> {
  for (;;) {
    const seq = (sequence += 1);
    const name = `w${worker}-${seq % 6}`;
    const known = model.states.get(name);
    const pending: Pending = { seq, verb: known === undefined ? 'create' : chosen(seq) };
    model.begin(name, pending);
    let answer: WireAnswer;
    try {
      answer = await client.ask(requestFor(name, pending, known?.revision));
    } catch {
      return;
    }
    if (answer.status >= 300) throw new Error(`${pending.verb} ${name}: ${answer.status} ${answer.text}`);
    let item: Item | undefined;
    try {
      item = pending.verb === 'delete' ? undefined : (JSON.parse(answer.text) as Item);
    } catch {
      // The answer was cut off on its way: it never came.
      return;
    }
    model.answered(name, item === undefined ? undefined : seenIn(item));
    onAnswer();
  }
}

const chosen = (seq: number): Pending['verb'] => (seq % 7 === 0 ? 'delete' : seq % 2 === 0 ? 'update' : 'patch');

function requestFor(name: string, { verb, seq }: Pending, revision: number | undefined) {
  const content = contentOf(seq);
  const metadata = { ...content.metadata, name };
  const whole = { apiVersion: 'v1', kind: 'ConfigMap', ...content };
  const json = { 'content-type': 'application/json' };
  switch (verb) {
    case 'create':
      return { method: 'POST', path: PATH, headers: json, body: JSON.stringify({ ...whole, metadata }) };
    case 'update': {
      const body = JSON.stringify({ ...whole, metadata: { ...metadata, resourceVersion: String(revision) } });
      return { method: 'PUT', path: `${PATH}/${name}`, headers: json, body };
    }
    case 'patch':
      return {
        method: 'PATCH',
        path: `${PATH}/${name}`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify(content),
      };
    case 'delete':
      return { method: 'DELETE', path: `${PATH}/${name}` };
  }
}

interface Frame {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Item & { readonly code?: number };
}

/** A cache as every controller keeps it: list, watch, resume, and list again only when told that it must. */
export class Watcher {
  readonly items = new Map<string, Item>();
  readonly problems: string[] = [];
  revision = 0;
  resumed = 0;
  relisted = 0;

  /** Until the connection breaks, in the middle of a list, too. */
  async follow(client: Http2Client): Promise<void> {
    await this.#follow(client).catch(() => undefined);
  }

  async #follow(client: Http2Client): Promise<void> {
    if (this.revision === 0) await this.#list(client);
    else this.resumed += 1;
    if ((await this.#watch(client)) !== 'expired') return;
    this.resumed -= 1;
    this.relisted += 1;
    await this.#list(client);
    await this.#watch(client);
  }

  async #list(client: Http2Client): Promise<void> {
    const answer = await client.ask({ method: 'GET', path: SELECTED });
    const list = JSON.parse(answer.text) as { metadata: { resourceVersion: string }; items: Item[] };
    if (Number(list.metadata.resourceVersion) < this.revision) this.problems.push('a list went back in time');
    this.items.clear();
    for (const item of list.items) this.items.set(item.metadata.name, item);
    this.revision = Number(list.metadata.resourceVersion);
  }

  #watch(client: Http2Client): Promise<'expired' | 'broken'> {
    return new Promise((resolve) => {
      const path = `${SELECTED}&watch=1&allowWatchBookmarks=true&resourceVersion=${this.revision}`;
      const stream = client.session.request({ ':path': path });
      let rest = '';
      let outcome: 'expired' | 'broken' = 'broken';
      stream.on('error', () => {});
      stream.on('response', (headers) => {
        if (headers[':status'] === 410) outcome = 'expired';
        else if (headers[':status'] !== 200) this.problems.push(`the watch was answered with ${headers[':status']}`);
      });
      stream.on('data', (chunk: Buffer) => {
        const lines = `${rest}${chunk.toString()}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (this.#take(JSON.parse(line) as Frame) === 'expired') outcome = 'expired';
      });
      stream.on('close', () => resolve(outcome));
    });
  }

  #take({ type, object }: Frame): 'expired' | undefined {
    if (type === 'ERROR') {
      if (object.code === 410) return 'expired';
      this.problems.push(`the watch failed: ${JSON.stringify(object)}`);
      return undefined;
    }
    const revision = Number(object.metadata.resourceVersion);
    if (revision < this.revision || (revision === this.revision && type !== 'BOOKMARK')) {
      this.problems.push(`event of ${revision} after ${this.revision}`);
    }
    this.revision = revision;
    if (type === 'BOOKMARK') return undefined;
    const { name } = object.metadata;
    const had = this.items.has(name);
    if (had !== (type !== 'ADDED')) this.problems.push(`${type} of ${name}, which was ${had ? 'there' : 'not there'}`);
    if (type === 'DELETED') this.items.delete(name);
    else this.items.set(name, object);
    return undefined;
  }
}
