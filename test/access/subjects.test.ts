/**
 * The identity that a certificate request is judged by is the one its certificate authenticates. Every ASN.1 tag there is
 * stands in for the organisation and the common name, with `system:masters` written in every way that some reader might take
 * for it. What must come of it is said by `textOf`, written from the documentation of Go's crypto/x509 and apart from our own reader.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceAccountUser } from '../../src/apiserver/contract/users.ts';
import { createInProcessClient } from '../../src/apiserver/inprocess/in-process-client.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../src/core/api/registry/resources.ts';
import type { CertificateSigningRequest } from '../../src/core/api/types/certificates-v1.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import type { KeyPair } from '../../src/machinery/certificates/certificates.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { askHttp1 } from '../hostile/support/wire-client.ts';
import { accountWith } from '../support/account.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import {
  attribute,
  forgeCertificate,
  forgedKey,
  forgeRequest,
  nameOf,
  TAG,
} from '../../src/machinery/testing/forged-certificates.ts';

const MASTERS = 'system:masters';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
const dataDir = mkdtempSync(join(tmpdir(), 'everynode-subjects-'));
let cluster: TestCluster;
let authority: KeyPair;
/** May ask for certificates and approve them, and nothing else. */
let robot: Client;
let asked = 0;

beforeAll(async () => {
  cluster = await startTestCluster({ dataDir, groups: [] });
  const file = (name: string): string => readFileSync(join(dataDir, 'pki', name), 'utf8');
  authority = { certificate: file('ca.crt'), key: file('ca.key') };
  const apiGroups = ['certificates.k8s.io'];
  await accountWith(cluster.client, 'robot', [
    { apiGroups, resources: ['certificatesigningrequests'], verbs: ['create', 'get'] },
    { apiGroups, resources: ['certificatesigningrequests/approval'], verbs: ['update'] },
    { apiGroups, resources: ['signers'], resourceNames: [CLIENT_SIGNER], verbs: ['approve'] },
  ]);
  robot = createInProcessClient(cluster.api, { user: serviceAccountUser('default', 'robot', 'u') });
}, 60_000);
afterAll(async () => {
  await cluster.stop();
  rmSync(dataDir, { recursive: true, force: true });
}, 60_000);

interface Identity {
  readonly name: string;
  readonly groups: readonly string[];
}
/** Who one became, or why not. */
type Outcome = Identity | { readonly refused: number | 'handshake' | 'Failed' };

/** Asks for a certificate with this subject, approves the request, and goes to the server with what was signed. */
async function become(subject: Buffer): Promise<Outcome> {
  const metadata = { name: `r${asked++}` };
  const spec = {
    request: Buffer.from(forgeRequest({ subject })).toString('base64'),
    signerName: CLIENT_SIGNER,
    usages: ['client auth'],
  };
  let made: CertificateSigningRequest;
  try {
    const request = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata, spec };
    made = await robot.create(CERTIFICATE_SIGNING_REQUESTS, request);
  } catch (error) {
    if (error instanceof StatusError) return { refused: error.code };
    throw error;
  }
  const approved = { type: 'Approved', status: 'True', reason: 'Test', message: '' };
  await robot.update(
    CERTIFICATE_SIGNING_REQUESTS,
    { ...made, status: { conditions: [approved] } },
    { subresource: 'approval' },
  );
  const certificate = await issued(metadata.name);
  return certificate === undefined ? { refused: 'Failed' } : whoAmI({ certificate, key: forgedKey });
}

async function issued(name: string): Promise<string | undefined> {
  for (let tries = 0; tries < 2000; tries++) {
    const { status } = await cluster.client.get(CERTIFICATE_SIGNING_REQUESTS, { name });
    if (status?.certificate) return Buffer.from(status.certificate, 'base64').toString('latin1');
    if (status?.conditions?.some(({ type }) => type === 'Failed') === true) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${name} was neither signed nor failed`);
}

async function whoAmI({ certificate, key }: KeyPair): Promise<Outcome> {
  const answer = await askHttp1(
    cluster.server,
    { ca: authority.certificate, cert: certificate, key },
    {
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      headers: { 'content-type': 'application/json' },
      body: '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}',
    },
  ).catch(() => undefined);
  if (answer === undefined) return { refused: 'handshake' };
  if (answer.status !== 201) return { refused: answer.status };
  const { userInfo } = (
    JSON.parse(answer.text) as { status: { userInfo: { username: string; groups: readonly string[] } } }
  ).status;
  return { name: userInfo.username, groups: userInfo.groups };
}

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
/** All that a reader might take for `system:masters`. */
const SPELLINGS: readonly (readonly [string, Buffer])[] = [
  ['as ASCII', Buffer.from(MASTERS)],
  ['with a NUL at its end', Buffer.from(`${MASTERS}\0`)],
  ['behind a byte order mark', Buffer.from(`\uFEFF${MASTERS}`)],
  ['in two bytes a letter', utf16(MASTERS)],
  ['in two bytes a letter, with a NUL at its end', utf16(`${MASTERS}\0`)],
  ['in two bytes a letter, behind a byte order mark', utf16(`\uFEFF${MASTERS}`)],
  ['in four bytes a letter', Buffer.from([...Buffer.from(MASTERS)].flatMap((byte) => [0, 0, 0, byte]))],
];

/** What Go reads in a value of this tag; undefined where it reads nothing. */
function textOf(tag: number, bytes: Buffer): string | undefined {
  const latin1 = bytes.toString('latin1');
  switch (tag) {
    case TAG.utf8:
      return Buffer.from(bytes.toString('utf8')).equals(bytes) ? bytes.toString('utf8') : undefined;
    case TAG.printable:
      return /^[\w '()+,./:=?*&-]*$/.test(latin1) && !latin1.includes('_') ? latin1 : undefined;
    case TAG.numeric:
      return /^[\d ]*$/.test(latin1) ? latin1 : undefined;
    case TAG.ia5:
      return bytes.every((byte) => byte < 0x80) ? latin1 : undefined;
    case TAG.teletex:
      return latin1;
    case TAG.bmp: {
      const text = bytes.length % 2 === 0 ? Buffer.from(bytes).swap16().toString('utf16le') : '\uD800';
      const ended = text.endsWith('\0') ? text.slice(0, -1) : text;
      return /[\uD800-\uDFFF\uFDD0-\uFDEF\uFFFE\uFFFF]/.test(ended) ? undefined : ended;
    }
    default:
      return undefined;
  }
}

const TAGS = Array.from({ length: 256 }, (_, tag) => tag);
const ATTRIBUTES = ['organization', 'commonName'] as const;
type Attribute = (typeof ATTRIBUTES)[number];

const subjectWith = (type: Attribute, tag: number, bytes: Buffer): Buffer =>
  type === 'organization'
    ? nameOf([attribute(type, tag, bytes)], [attribute('commonName', TAG.utf8, 'mallory')])
    : nameOf([attribute('organization', TAG.utf8, 'devs')], [attribute(type, tag, bytes)]);
const identityWith = (type: Attribute, text: string): Identity => ({
  name: type === 'commonName' ? text : 'mallory',
  groups: [type === 'organization' ? text : 'devs', 'system:authenticated'],
});

describe.each(ATTRIBUTES)('a request whose %s is system:masters', (type) => {
  it.each(SPELLINGS)(
    '%s makes nobody a master, whatever its type',
    async (_, bytes) => {
      for (const tag of TAGS) {
        const text = textOf(tag, bytes);
        const isMaster = type === 'organization' && text === MASTERS;
        const wanted = text === undefined ? { refused: 422 } : isMaster ? { refused: 403 } : identityWith(type, text);
        expect([tag, await become(subjectWith(type, tag, bytes))]).toEqual([tag, wanted]);
      }
    },
    120_000,
  );
});

describe.each(ATTRIBUTES)('a certificate of our authority whose %s is system:masters', (type) => {
  it.each(SPELLINGS)(
    '%s is who a request for it would have been judged to be, or nobody',
    async (_, bytes) => {
      for (const tag of TAGS) {
        const text = textOf(tag, bytes);
        const is = await whoAmI(forgeCertificate(authority, subjectWith(type, tag, bytes)));
        if (text !== undefined) expect([tag, is]).toEqual([tag, identityWith(type, text)]);
        else
          expect([
            [tag, { refused: 401 }],
            [tag, { refused: 'handshake' }],
          ]).toContainEqual([tag, is]);
      }
    },
    120_000,
  );
});
