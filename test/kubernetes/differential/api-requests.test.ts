/**
 * The same requests to a kube-apiserver and to ours: manifests of every kind, right, at the edge and wrong, created,
 * changed in every way there is, read and deleted. Same codes, same `Status`, same warnings, same objects afterwards,
 * down to who owns which field.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingPrograms } from '../support/programs.ts';
import { FOUND } from './api-found.ts';
import { KNOWN } from './api-known.ts';
import { type Names, type Parted, play, smaller, told } from './api-play.ts';
import { drawSequence, givenSequence } from './api-sequences.ts';
import { makeNamespace, startServers, type Server, type Servers } from './api-servers.ts';
import { casesOf, partedText } from './plan.ts';

const CASES = 400;
const AT_ONCE = 6;
/** More of them say nothing that these do not. */
const MOST_TOLD = Number(process.env['EVERYNODE_DIFFERENTIAL_TOLD'] ?? 8);
const PATIENCE_MS = 20 * 60_000;

describe.skipIf(missingPrograms(['etcd', 'kube-apiserver']).length > 0)('requests to two API servers', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  }, PATIENCE_MS);
  afterAll(() => servers?.stop(), PATIENCE_MS);

  let count = 0;
  /** Every case has a namespace of its own, so that quotas and limits of one are not in the way of others. */
  const freshNames = async (): Promise<Names> => {
    const name = `case-${(count += 1)}`;
    const namespace = `ns-${count}`;
    await Promise.all([makeNamespace(servers.real, namespace), makeNamespace(servers.ours, namespace)]);
    return { name, namespace };
  };

  it(
    'are answered alike',
    async () => {
      const cases = casesOf('api', CASES);
      const codes = new Map<number, number>();
      const kinds = new Set<string>();
      const parted: Parted[] = [];
      let requests = 0;
      const left = [...cases];
      const work = async (): Promise<void> => {
        for (let name = left.shift(); name !== undefined; name = left.shift()) {
          const sequence = drawSequence(name);
          const played = await play(servers, sequence, await freshNames());
          requests += played.requests;
          kinds.add(sequence.target.kind);
          for (const code of played.codes) codes.set(code, (codes.get(code) ?? 0) + 1);
          if (played.parted !== undefined) parted.push(played.parted);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      const texts: string[] = [];
      for (const each of parted.slice(0, MOST_TOLD)) {
        const text = told(await smaller(servers, each, freshNames));
        process.stderr.write(`${text}\n\n`);
        texts.push(text);
      }
      if (parted.length > 0) servers.keepLogs();
      expect(texts.join('\n\n'), partedText(parted.length, cases.length)).toBe('');
      if (cases.length < CASES) return;
      // A comparison that compares nothing would be just as quiet.
      expect(requests).toBeGreaterThan(cases.length * 10);
      expect(kinds.size).toBeGreaterThan(40);
      for (const code of [200, 201, 400, 404, 409, 422])
        expect(codes.get(code) ?? 0).toBeGreaterThan(cases.length / 20);
    },
    PATIENCE_MS,
  );

  it.each(FOUND.map((entry) => [entry.name, entry] as const))('are answered alike: %s', async (name, example) => {
    const { parted } = await play(servers, givenSequence(name, example), await freshNames());
    expect(parted === undefined ? '' : told(parted)).toBe('');
  });

  it.each(KNOWN.map((entry) => [entry.name, entry] as const))(
    'still differ on purpose: %s',
    async (name, { example }) => {
      const played = await play(servers, givenSequence(name, example), await freshNames());
      expect([...played.known]).toContain(name);
      expect(played.parted).toBeUndefined();
    },
  );

  it('would be told apart if one answer were another', async () => {
    const changed: Server = {
      name: 'changed',
      send: async (request) => {
        const answer = await servers.ours.send(request);
        return { ...answer, body: JSON.parse(JSON.stringify(answer.body).replace('"k":"v"', '"k":"w"')) as never };
      },
    };
    const operations = [
      {
        method: 'POST',
        on: 'collection',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '$name' }, data: { k: 'v' } },
      },
      { method: 'GET', on: 'object' },
    ] as const;
    const sequence = givenSequence('changed', { kind: 'ConfigMap', operations });
    const { parted } = await play({ ...servers, ours: changed }, sequence, await freshNames());
    expect(parted?.differences).toEqual([{ path: 'body.data.k', real: 'v', ours: 'w' }]);
    expect(told(parted as Parted)).toContain('everynode:      "w"');
    const same = await play(servers, sequence, await freshNames());
    expect(same.parted).toBeUndefined();
  });
});
