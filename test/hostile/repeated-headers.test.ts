/**
 * A header that says who one is, or wants to be, means one thing. What Node makes of a repeated one differs with its name and
 * with the version of HTTP (first, or all with commas between), so every case goes over both, byte by byte.
 */
import type { Status } from '../../src/core/kube/status-error.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { accountWith } from '../support/account.ts';
import { useHouse } from './support/house.ts';
import { getRawHttp2, type RawHeaders } from './support/raw-http2.ts';
import { openTls } from './support/wire-client.ts';

const house = useHouse();
const PATH = '/api/v1/namespaces/default/secrets/secret';
/** Of an account that may act as jane, who may do nothing, and as the uid `1`, and may do nothing else. */
let token = '';

beforeAll(async () => {
  const verbs = ['impersonate'];
  const extras = 'authentication.k8s.io';
  token = await accountWith(house.cluster.client, 'actor', [
    { apiGroups: [''], resources: ['users'], resourceNames: ['jane'], verbs },
    { apiGroups: [''], resources: ['groups'], resourceNames: ['devs', 'ops'], verbs },
    { apiGroups: [extras], resources: ['uids'], resourceNames: ['1'], verbs },
    { apiGroups: [extras], resources: ['userextras/scope'], resourceNames: ['a', 'b'], verbs },
  ]);
}, 60_000);

/** One request over HTTP/1.1, its headers exactly as given. */
async function getRawHttp1(headers: RawHeaders): Promise<string> {
  const socket = await openTls(house.cluster.server, house.nobody);
  const lines = [`GET ${PATH} HTTP/1.1`, 'host: x', 'connection: close', ...headers.map((each) => each.join(': '))];
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setTimeout(15_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(text.slice(text.indexOf('\r\n\r\n') + 4)));
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  });
}

const statusIn = (body: string): string => {
  const { code, message } = JSON.parse(body) as Status;
  return `${code} ${message}`;
};
const asTheActor = (): RawHeaders[number] => ['authorization', `Bearer ${token}`];
/** What the same headers are answered over both versions, and with their names in another case. */
async function answers(headers: RawHeaders): Promise<readonly string[]> {
  const loud: RawHeaders = headers.map(([name, value], at) => [at % 2 === 0 ? name : name.toUpperCase(), value]);
  return [
    statusIn(await getRawHttp2(house.cluster.server, house.nobody, PATH, headers)),
    statusIn(await getRawHttp1(headers)),
    statusIn(await getRawHttp1(loud)),
  ];
}

const ONCE = (name: string): string =>
  `400 the header ${name} was sent more than once, and counts only when it is sent once`;

describe('a header that may come once', () => {
  const user = (value: string): RawHeaders[number] => ['impersonate-user', value];
  const uid = (value: string): RawHeaders[number] => ['impersonate-uid', value];
  it.each<readonly [string, string, RawHeaders]>([
    ['two users', 'Impersonate-User', [user('jane'), user('system:admin')]],
    ['two users the other way round', 'Impersonate-User', [user('system:admin'), user('jane')]],
    ['one user twice', 'Impersonate-User', [user('jane'), user('jane')]],
    ['nobody and a user', 'Impersonate-User', [user(''), user('jane')]],
    ['a user and nobody', 'Impersonate-User', [user('jane'), user('')]],
    ['users far apart', 'Impersonate-User', [user('jane'), ['impersonate-group', 'devs'], ['x-y', 'z'], user('jane')]],
    ['two uids', 'Impersonate-Uid', [user('jane'), uid('1'), uid('2')]],
    ['one uid twice', 'Impersonate-Uid', [user('jane'), uid('1'), uid('1')]],
    ['nothing and a uid', 'Impersonate-Uid', [user('jane'), uid(''), uid('1')]],
  ])('is refused: %s', async (_, name, headers) => {
    await house.unharmed(async () => {
      expect(new Set(await answers([asTheActor(), ...headers]))).toEqual(new Set([ONCE(name)]));
    });
  });

  it('is refused: two tokens, whichever of them is good', async () => {
    const [good, bad] = [asTheActor(), ['authorization', 'Bearer x'] as const];
    await house.unharmed(async () => {
      for (const headers of [
        [good, bad],
        [bad, good],
        [good, good],
        [bad, bad],
        [['authorization', ''] as const, good],
      ]) {
        expect(new Set(await answers(headers))).toEqual(new Set([ONCE('Authorization')]));
      }
    });
  });
});

describe('a header that may repeat', () => {
  const jane: RawHeaders[number] = ['impersonate-user', 'jane'];
  const group = (value: string): RawHeaders[number] => ['impersonate-group', value];
  const scope = (value: string): RawHeaders[number] => ['impersonate-extra-scope', value];
  const AS_JANE =
    '403 secrets "secret" is forbidden: User "jane" cannot get resource "secrets" in API group "" in the namespace "default"';
  const denied = (what: string): string =>
    `403 ${what} is forbidden: User "system:serviceaccount:default:actor" cannot impersonate resource`;

  it('acts with all its values', async () => {
    const all = [asTheActor(), jane, group('devs'), group('ops'), group('devs'), scope('a'), scope('b')];
    expect(new Set(await answers(all))).toEqual(new Set([AS_JANE]));
  });

  it.each<readonly [string, RawHeaders, string]>([
    ['the last group', [group('devs'), group('system:masters')], 'groups "system:masters"'],
    ['the first group', [group('system:masters'), group('devs')], 'groups "system:masters"'],
    ['a group behind a comma', [group('devs, system:masters')], 'groups "devs, system:masters"'],
    ['an extra value', [scope('a'), scope('c')], 'userextras.authentication.k8s.io "c"'],
    ['an empty group', [group('devs'), group('')], 'groups'],
  ])('is judged by each of its values: %s', async (_, headers, what) => {
    for (const answer of await answers([asTheActor(), jane, ...headers])) expect(answer).toContain(denied(what));
  });

  it('is not lost behind very many others', async () => {
    // A proxy that acts for its users adds the header last, after all that they sent.
    const many: RawHeaders = Array.from({ length: 1900 }, () => ['a', ''] as const);
    expect(statusIn(await getRawHttp1([asTheActor(), ...many, jane]))).toBe(AS_JANE);
    const masters = statusIn(await getRawHttp1([asTheActor(), ...many, jane, group('system:masters')]));
    expect(masters).toContain(denied('groups "system:masters"'));
    expect(statusIn(await getRawHttp1([...many, asTheActor(), asTheActor()]))).toBe(ONCE('Authorization'));
    const tooMany = getRawHttp2(house.cluster.server, house.nobody, PATH, [asTheActor(), ...many, jane]);
    await expect(tooMany).rejects.toThrow('closed before');
  });
});
