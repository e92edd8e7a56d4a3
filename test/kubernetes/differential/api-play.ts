/** Plays a sequence on both servers and tells where their answers part; makes a sequence that does smaller. */
import { encodeJson, type Json } from '../../../src/core/kube/json.ts';
import { edited } from './api-edits.ts';
import { excused } from './api-known.ts';
import { differencesOf, normalAnswer, type Difference } from './api-normal.ts';
import type { Operation, Sequence } from './api-sequences.ts';
import type { Answer, Request, Server, Servers } from './api-servers.ts';
import type { Members } from './api-values.ts';

export interface Parted {
  readonly sequence: Sequence;
  /** Which operation was answered differently, and whether it is what was read afterwards that differs. */
  readonly at: number;
  readonly afterwards: boolean;
  readonly differences: readonly Difference[];
  readonly request: Request;
  readonly real: Json;
  readonly ours: Json;
}

export interface Played {
  readonly requests: number;
  /** Codes of answers, for the counts. */
  readonly codes: readonly number[];
  readonly parted?: Parted;
  readonly known: ReadonlySet<string>;
}

/** Names of one playing: nothing that is left of another is in its way. */
export interface Names {
  readonly name: string;
  readonly namespace: string;
}

/** What a server last said of the object. */
interface Seen {
  readonly server: Server;
  current: Members | undefined;
  stale: string;
}

export async function play(servers: Servers, sequence: Sequence, names: Names): Promise<Played> {
  const sides: readonly [Seen, Seen] = [servers.real, servers.ours].map((server): Seen => ({
    server,
    current: undefined,
    stale: '1',
  })) as [Seen, Seen];
  const codes: number[] = [];
  const known = new Set<string>();
  let requests = 0;
  const ask = async (operation: Operation, at: number, afterwards: boolean): Promise<Parted | undefined> => {
    const sent = sides.map((seen) => requestOf(operation, sequence, names, seen));
    const [realRequest, ourRequest] = sent as [Request, Request];
    const [real, ours] = await Promise.all([sides[0].server.send(realRequest), sides[1].server.send(ourRequest)]);
    requests += 2;
    codes.push(real.code);
    sides.forEach((seen, index) => remember(seen, index === 0 ? real : ours, operation));
    const around = { now: Date.now(), generated: names.name };
    const normal = [normalAnswer(real, around), normalAnswer(ours, around)] as const;
    const all = differencesOf(normal[0], normal[1]);
    const differences = all.filter((difference) => {
      const entry = excused({ difference, operation, sequence, real: normal[0], ours: normal[1], known });
      if (entry !== undefined) known.add(entry);
      return entry === undefined;
    });
    return differences.length === 0
      ? undefined
      : { sequence, at, afterwards, differences, request: realRequest, real: normal[0], ours: normal[1] };
  };
  try {
    for (const [at, operation] of sequence.operations.entries()) {
      if (at > 0) await Promise.all(sides.map((seen) => settled(seen, sequence, names)));
      const parted =
        (await ask(operation, at, false)) ??
        (isReadAfterwards(operation, sequence) ? await ask(READ, at, true) : undefined);
      if (parted !== undefined) return { requests, codes, parted, known };
    }
    return { requests, codes, known };
  } finally {
    await Promise.all(sides.map((seen) => clear(seen, sequence, names)));
  }
}

/** In one order on both sides: which mistake of two is told may depend on it. */
function sorted<T extends Json | undefined>(value: T): T {
  if (Array.isArray(value)) return value.map(sorted) as unknown as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  ) as T;
}

/** A definition that is deleted goes when its server gets round to it. */
const isReadAfterwards = ({ method }: Operation, { target }: Sequence): boolean =>
  method !== 'GET' && !(method === 'DELETE' && target.kind === 'CustomResourceDefinition');

/** A definition is changed by its server, some time after it was made. */
async function settled(seen: Seen, sequence: Sequence, names: Names): Promise<void> {
  if (sequence.target.kind === 'APIService' && seen.server.name === 'kube-apiserver')
    return judged(seen, sequence, names);
  if (sequence.target.kind !== 'CustomResourceDefinition') return;
  let before: Json | undefined;
  for (let tries = 0; tries < 300; tries++) {
    const answer = await seen.server.send(requestOf(READ, sequence, names, seen));
    remember(seen, answer, READ);
    const version = (seen.current?.['metadata'] as Members | undefined)?.['resourceVersion'];
    const isThere = /"type":"Established"/.test(encodeJson(answer.body));
    const isGoing = encodeJson(answer.body).includes('"deletionTimestamp"');
    if (answer.code !== 200 || (isThere && !isGoing && version === before)) return;
    before = version;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The aggregator writes into the status of an APIService once, soon after it was made: a PUT in between would conflict. */
async function judged(seen: Seen, sequence: Sequence, names: Names): Promise<void> {
  for (let tries = 0; tries < 30; tries++) {
    const answer = await seen.server.send(requestOf(READ, sequence, names, seen));
    remember(seen, answer, READ);
    if (answer.code !== 200 || encodeJson(answer.body).includes('"type":"Available"')) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const READ: Operation = { method: 'GET', on: 'object' };

function remember(seen: Seen, { body, code }: Answer, operation: Operation): void {
  if (operation !== READ) return;
  const before = (seen.current?.['metadata'] as Members | undefined)?.['resourceVersion'];
  const next = code === 200 && typeof body === 'object' ? (body as Members) : undefined;
  const now = (next?.['metadata'] as Members | undefined)?.['resourceVersion'];
  if (typeof before === 'string' && now !== before) seen.stale = before;
  seen.current = next;
}

const collectionPath = ({ target: { group, namespaced, resource, version } }: Sequence): string =>
  `${group === '' ? '/api' : `/apis/${group}`}/${version}${namespaced ? '/namespaces/$ns' : ''}/${resource}`;

function requestOf(operation: Operation, sequence: Sequence, names: Names, seen: Seen): Request {
  const metadata = (seen.current?.['metadata'] ?? {}) as Members;
  const text = (value: Json | undefined, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
  const fill = (template: string): string =>
    template
      .replaceAll('$name', names.name)
      .replaceAll('$ns', names.namespace)
      .replaceAll('$uid', text(metadata['uid'], 'none'))
      .replaceAll('$rv', text(metadata['resourceVersion'], '1'))
      .replaceAll('$stale', seen.stale);
  const { accept, contentType, edits, method, on, query = {}, subresource } = operation;
  const { apiVersion, kind } = apiVersionOf(sequence);
  const body =
    edits === undefined
      ? operation.body
      : edited(sorted(seen.current) ?? { apiVersion, kind, metadata: { name: sequence.objectName } }, edits);
  const where = `${collectionPath(sequence)}${on === 'object' ? `/${sequence.objectName}` : ''}${subresource === undefined ? '' : `/${subresource}`}`;
  const asked = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(fill(value))}`);
  return {
    method,
    path: fill(where) + (asked.length === 0 ? '' : `?${asked.join('&')}`),
    ...(accept === undefined ? {} : { accept }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(body === undefined ? {} : { text: twice(fill(encodeJson(body)), operation.twice) }),
  };
}

const apiVersionOf = ({
  target: { group, kind, version },
}: Sequence): { readonly apiVersion: string; readonly kind: string } => ({
  apiVersion: group === '' ? version : `${group}/${version}`,
  kind,
});

/** Writes a key once more, with the value null, before the first of that name. */
const twice = (text: string, key: string | undefined): string =>
  key === undefined ? text : text.replace(`"${key}":`, `"${key}":null,"${key}":`);

/** Nothing of the case stays, whatever guards it. */
async function clear({ server }: Seen, sequence: Sequence, names: Names): Promise<void> {
  const at = collectionPath(sequence).replaceAll('$ns', names.namespace);
  const own = [sequence.objectName, '$name-a', '$name-b', 'other'].map((name) => name.replaceAll('$name', names.name));
  for (const name of own.slice(
    0,
    /-a"|-a$/.test(encodeJson(sequence.operations as unknown as Json)) ||
      /\$name-a/.test(encodeJson(sequence.operations as unknown as Json))
      ? 3
      : 1,
  )) {
    const path = `${at}/${name}`;
    const { body, code } = await server.send({
      method: 'DELETE',
      path: `${path}?gracePeriodSeconds=0&propagationPolicy=Background`,
    });
    if (code !== 200 && code !== 202) continue;
    const { finalizers } = ((body as Members)['metadata'] ?? {}) as Members;
    if (finalizers !== undefined)
      await server.send({
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        text: encodeJson({ metadata: { finalizers: null } }),
      });
  }
}

/** The smallest sequence that still parts, found by leaving out operations and edits; a bounded number of tries. */
export async function smaller(servers: Servers, parted: Parted, namesOf: () => Promise<Names>): Promise<Parted> {
  let best = {
    ...parted,
    sequence: { ...parted.sequence, operations: parted.sequence.operations.slice(0, parted.at + 1) },
  };
  let tries = 16;
  const attempt = async (operations: readonly Operation[]): Promise<boolean> => {
    if (tries-- <= 0) return false;
    const { parted: still } = await play(servers, { ...best.sequence, operations }, await namesOf());
    if (still === undefined || still.differences[0]?.path !== parted.differences[0]?.path) return false;
    best = { ...still, sequence: { ...still.sequence, operations: operations.slice(0, still.at + 1) } };
    return true;
  };
  for (let index = best.sequence.operations.length - 2; index >= 0; index--)
    await attempt(best.sequence.operations.filter((_, at) => at !== index));
  const last = best.sequence.operations.length - 1;
  for (const [index, operation] of best.sequence.operations.entries()) {
    for (let edit = (operation.edits?.length ?? 0) - 1; edit >= 0; edit--) {
      const current = best.sequence.operations[index];
      if (current?.edits === undefined) break;
      const without = { ...current, edits: current.edits.filter((_, at) => at !== edit) };
      await attempt(best.sequence.operations.with(index, without));
    }
    if (index !== last || operation.body === undefined || typeof operation.body !== 'object') continue;
    for (const key of Object.keys(operation.query ?? {})) {
      const { [key]: _, ...query } = best.sequence.operations[index]?.query ?? {};
      await attempt(best.sequence.operations.with(index, { ...(best.sequence.operations[index] as Operation), query }));
    }
  }
  return best;
}

const shown = (value: Json | undefined): string => (value === undefined ? '(absent)' : encodeJson(value));

/** For whoever reads the failure: what was sent, and both answers side by side. */
export function told({ afterwards, at, differences, ours, real, request, sequence }: Parted): string {
  const { kind } = sequence.target;
  return [
    `${sequence.name} (${kind}): operation ${at + 1} of ${sequence.operations.length}${afterwards ? ', as read afterwards' : ''}`,
    ...sequence.operations.map((operation, index) => `  ${index + 1}. ${encodeJson(operation as unknown as Json)}`),
    `  sent: ${request.method} ${request.path} ${request.text ?? ''}`.slice(0, 3000),
    ...differences
      .slice(0, 12)
      .flatMap(({ ours: mine, path, real: theirs }) => [
        `  ${path}`,
        `    kube-apiserver: ${shown(theirs)}`,
        `    everynode:      ${shown(mine)}`,
      ]),
    `  kube-apiserver answered ${shown(real)}`.slice(0, 1500),
    `  everynode answered      ${shown(ours)}`.slice(0, 1500),
  ].join('\n');
}
