/**
 * One client against the others: while a client without manners (neighbour-load.ts, at the lowest priority) makes its
 * load, how long does another user's small request take, is a Lease renewed in time, and how much memory does the
 * server hold?
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, constants, type ClientHttp2Session } from 'node:http2';
import { fileURLToPath } from 'node:url';
import { throughput } from '../support/load.ts';
import { freshPodText } from '../support/pods.ts';
import { note, reportCase } from '../support/report.ts';
import { startServer, type ServerProcess } from '../support/server.ts';
import type { Load, LoadOptions } from './neighbour-load.ts';

const PODS = 10_000;
const IDLE_MS = 10_000;
const LOAD_MS = 30_000;
/** The beginning of the load, which is not counted. */
const WARM_UP_MS = 3000;
const RECOVERY_MS = 60_000;
const GET_EVERY_MS = 10;
const RENEW_EVERY_MS = 2000;
const RENEW_DEADLINE_MS = 10_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const JSON_TYPE = 'application/json';

interface Answer {
  readonly status: number;
  readonly text: string;
}

type Ask = (method: string, path: string, body?: object | string) => Promise<Answer>;

function asker(session: ClientHttp2Session, token?: string): Ask {
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: method,
        [constants.HTTP2_HEADER_PATH]: path,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': JSON_TYPE }),
      });
      let status = 0;
      let text = '';
      stream.on('response', (headers) => (status = Number(headers[constants.HTTP2_HEADER_STATUS])));
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => resolve({ status, text }));
      stream.on('error', reject);
      stream.end(typeof body === 'object' ? JSON.stringify(body) : body);
    });
}

/** Rejects unless the answer is a success. */
async function must(answer: Promise<Answer>): Promise<string> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status} ${text.slice(0, 300)}`);
  return text;
}

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const SMALL = '/api/v1/namespaces/default/configmaps/small';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

/** A user of its own, who may do anything. */
async function newUser(admin: Ask, name: string): Promise<string> {
  await must(admin('POST', ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } }));
  await must(
    admin('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    }),
  );
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7200 } };
  const answer = await must(admin('POST', `${ACCOUNTS}/${name}/token`, request));
  return (JSON.parse(answer) as { status: { token: string } }).status.token;
}

/** Resident memory of the process, MiB. */
const residentMiB = ({ pid }: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

interface Watched {
  readonly p99: number;
  readonly longest: number;
  readonly renewals: number;
  readonly missed: number;
  readonly mostMiB: number;
}

/** Latencies and renewals of a neighbour over the given duration. */
async function watchNeighbour(ask: Ask, server: ServerProcess, durationMs: number): Promise<Watched> {
  const took: number[] = [];
  const underWay: Promise<void>[] = [];
  let renewals = 0;
  let missed = 0;
  let mostMiB = 0;
  const get = async (): Promise<void> => {
    const began = performance.now();
    await must(ask('GET', SMALL));
    took.push(performance.now() - began);
  };
  /** Renews as a leader does: read, write, and again on failure until the deadline. */
  const renew = async (): Promise<void> => {
    renewals += 1;
    const began = performance.now();
    for (;;) {
      try {
        const lease = JSON.parse(await must(ask('GET', `${LEASES}/leader`))) as { spec: object };
        const renewed = { ...lease, spec: { ...lease.spec, renewTime: new Date().toISOString().replace('Z', '000Z') } };
        await must(ask('PUT', `${LEASES}/leader`, renewed));
        break;
      } catch (error) {
        if (performance.now() - began > RENEW_DEADLINE_MS) break;
        note(`a renewal is tried again: ${String(error)}`);
        await sleep(200);
      }
    }
    if (performance.now() - began > RENEW_DEADLINE_MS) missed += 1;
  };
  const timers = [
    setInterval(() => underWay.push(get()), GET_EVERY_MS),
    setInterval(() => underWay.push(renew()), RENEW_EVERY_MS),
    setInterval(() => (mostMiB = Math.max(mostMiB, residentMiB(server.child))), 200),
  ];
  await sleep(durationMs);
  for (const timer of timers) clearInterval(timer);
  await Promise.all(underWay);
  took.sort((a, b) => a - b);
  const p99 = took[Math.floor(took.length * 0.99)] ?? Number.NaN;
  return { p99, longest: took.at(-1) ?? Number.NaN, renewals, missed, mostMiB };
}

function startLoad(options: LoadOptions): ChildProcess {
  const script = fileURLToPath(new URL('./neighbour-load.ts', import.meta.url));
  const flags = ['-n', '19', process.execPath, '--max-old-space-size=512', script, JSON.stringify(options)];
  return spawn('nice', flags, { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function stopLoad(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error('the load ended by itself');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function measure(load: Load): Promise<void> {
  const server = await startServer(['--data-dir', '{tmp}', '--nodes', '0']);
  const open = (credentials: object): ClientHttp2Session => connect(server.url, { ca: server.ca, ...credentials });
  const owner = open({ cert: server.cert, key: server.key });
  let neighbour: ClientHttp2Session | undefined;
  let child: ChildProcess | undefined;
  try {
    const admin = asker(owner);
    await must(
      admin('POST', '/api/v1/namespaces/default/configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'small' },
        data: { a: 'b' },
      }),
    );
    const spec = { holderIdentity: 'leader', leaseDurationSeconds: 15 };
    await must(
      admin('POST', LEASES, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'leader' },
        spec,
      }),
    );
    await throughput(PODS, 64, (i) => must(admin('POST', '/api/v1/namespaces/default/pods', freshPodText(i))));
    const tokenOfNeighbour = await newUser(admin, 'neighbour');
    // Opened only when needed: the server closes idle connections.
    neighbour = open({});
    const ask = asker(neighbour, tokenOfNeighbour);
    const token = await newUser(admin, 'greedy');
    // As a server that has been in use: lists leave the bytes of their objects in its cache.
    await must(admin('GET', '/api/v1/pods'));
    await sleep(5000);
    const idle = await watchNeighbour(ask, server, IDLE_MS);
    const before = residentMiB(server.child);
    child = startLoad({ load, url: server.url, ca: server.ca, token });
    await sleep(WARM_UP_MS);
    const busy = await watchNeighbour(ask, server, LOAD_MS);
    await stopLoad(child);
    await sleep(RECOVERY_MS);
    const after = residentMiB(server.child);
    note(
      `${load}: longest ${busy.longest.toFixed(0)} ms (idle ${idle.longest.toFixed(0)}), ${busy.missed} of ${busy.renewals} renewals missed, ` +
        `${before.toFixed(0)} MiB before, at most ${busy.mostMiB.toFixed(0)}, a minute later ${after.toFixed(0)}`,
    );
    const report = (name: string, unit: 'ms' | 'ratio' | 'MiB', sample: number): void =>
      reportCase({ bench: 'api', case: `neighbour-${name}-${load}`, unit, better: 'lower', samples: [sample] });
    report('p99-idle', 'ms', idle.p99);
    report('p99', 'ms', busy.p99);
    report('missed-renewals', 'ratio', busy.missed / busy.renewals);
    report('memory', 'MiB', Math.max(0, busy.mostMiB - before));
    report('memory-after', 'ratio', after / before);
  } finally {
    child?.kill('SIGKILL');
    owner.destroy();
    neighbour?.destroy();
    await server.stop();
  }
}

export async function run(cases: readonly string[]): Promise<void> {
  for (const name of cases) await measure(name.replace('neighbour-p99-', '') as Load);
}
