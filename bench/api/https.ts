/** The API over HTTPS: the server in its own process, the load generator here. */
import { once } from 'node:events';
import { connect, constants, type ClientHttp2Session } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { throughput } from '../support/load.ts';
import { freshPodText } from '../support/pods.ts';
import { note, reportCase } from '../support/report.ts';
import { startServer, type ServerProcess } from '../support/server.ts';

const CONNECTIONS = 8;
const STREAMS = 8;
const CREATES = 6000;
const WARM_UPS = 2;
const RUNS = 5;
const PODS_PATH = '/api/v1/namespaces/default/pods';
const JSON_TYPE = 'application/json';

const open = (server: ServerProcess): ClientHttp2Session =>
  connect(server.url, { ca: server.ca, cert: server.cert, key: server.key, settings: { initialWindowSize: 1 << 24 } });

/** Sends one request and reads the answer whole; rejects unless it succeeded. */
function ask(session: ClientHttp2Session, method: string, path: string, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: method,
      [constants.HTTP2_HEADER_PATH]: path,
      ...(body === undefined ? {} : { 'content-type': JSON_TYPE }),
    });
    let status = 0;
    let bytes = 0;
    let text = '';
    stream.on('response', (headers) => (status = Number(headers[constants.HTTP2_HEADER_STATUS])));
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (status >= 400) text += chunk.toString();
    });
    stream.on('end', () =>
      status < 300 ? resolve(bytes) : reject(new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`)),
    );
    stream.on('error', reject);
    stream.end(body);
  });
}

async function createHttp2(server: ServerProcess, first: number): Promise<number> {
  const sessions = Array.from({ length: CONNECTIONS }, () => open(server));
  const rate = await throughput(CREATES, CONNECTIONS * STREAMS, (i) => {
    const session = sessions[i % CONNECTIONS];
    if (session === undefined) throw new Error('no session');
    return ask(session, 'POST', PODS_PATH, freshPodText(first + i));
  });
  for (const session of sessions) session.close();
  return rate;
}

async function createHttp1(server: ServerProcess, first: number): Promise<number> {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: CONNECTIONS * STREAMS,
    ca: server.ca,
    cert: server.cert,
    key: server.key,
  });
  const rate = await throughput(CREATES, CONNECTIONS * STREAMS, (i) =>
    postHttp1(server, agent, freshPodText(first + i)),
  );
  agent.destroy();
  return rate;
}

function postHttp1(server: ServerProcess, agent: Agent, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) };
    const request = httpsRequest(server.url + PODS_PATH, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 201 ? resolve() : reject(new Error(`POST: ${response.statusCode}`)),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function measureCreates(
  name: string,
  create: (server: ServerProcess, first: number) => Promise<number>,
): Promise<void> {
  const server = await startServer(['--data-dir', '{tmp}', '--nodes', '0']);
  const samples: number[] = [];
  try {
    // Twice: compiling a server's hot code takes some ten thousand requests.
    for (let run = 0; run < WARM_UPS; run += 1) note(`warm-up ${Math.round(await create(server, run * CREATES))}/s`);
    for (let run = 0; run < RUNS; run += 1) samples.push(await create(server, (WARM_UPS + run) * CREATES));
  } finally {
    await server.stop();
  }
  reportCase({ bench: 'api', case: name, unit: '/s', better: 'higher', samples });
}

async function measureList(): Promise<void> {
  const server = await startServer(['--ephemeral', '--nodes', '0']);
  const samples: number[] = [];
  try {
    const session = open(server);
    await throughput(10_000, 64, (i) => ask(session, 'POST', PODS_PATH, freshPodText(i)));
    for (let run = 0; run < 7; run += 1) {
      const began = performance.now();
      const bytes = await ask(session, 'GET', PODS_PATH);
      samples.push((performance.now() - began) / 1000);
      if (run === 0) note(`list of ${(bytes / 2 ** 20).toFixed(1)} MiB`);
    }
    session.close();
  } finally {
    await server.stop();
  }
  reportCase({ bench: 'api', case: 'list-10k-https', unit: 's', better: 'lower', samples });
}

const WATCH_CONNECTIONS = 10;
const WATCH_STREAMS = 100;

async function measureFanout(): Promise<void> {
  const server = await startServer(['--ephemeral', '--nodes', '0']);
  const samples: number[] = [];
  try {
    const path = '/api/v1/namespaces/default/configmaps';
    const sessions = Array.from({ length: WATCH_CONNECTIONS }, () => open(server));
    let expected = 0;
    let arrived = 0;
    let done: (() => void) | undefined;
    const opened = sessions.flatMap((session) =>
      Array.from({ length: WATCH_STREAMS }, async () => {
        const stream = session.request({ [constants.HTTP2_HEADER_PATH]: `${path}?watch=1&resourceVersion=0` });
        stream.on('data', (chunk: Buffer) => {
          // One event, one line: the newline is its last byte.
          if (chunk.at(-1) === 10 && ++arrived === expected) done?.();
        });
        stream.on('error', () => undefined);
        await once(stream, 'response');
      }),
    );
    await Promise.all(opened);
    const writer = open(server);
    for (let run = 0; run < 30; run += 1) {
      arrived = 0;
      expected = WATCH_CONNECTIONS * WATCH_STREAMS;
      const all = new Promise<void>((resolve) => (done = resolve));
      const body = JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `c${run}` },
        data: { text: 'x'.repeat(1000) },
      });
      const began = performance.now();
      await Promise.all([ask(writer, 'POST', path, body), all]);
      // The first runs warm both processes up.
      if (run >= 10) samples.push(performance.now() - began);
    }
    for (const session of [...sessions, writer]) session.destroy();
  } finally {
    await server.stop();
  }
  reportCase({ bench: 'api', case: 'fanout-1000-watchers', unit: 'ms', better: 'lower', samples });
}

const MEASURES: { readonly [name: string]: () => Promise<void> } = {
  'create-https-durable': () => measureCreates('create-https-durable', createHttp2),
  'create-https1-durable': () => measureCreates('create-https1-durable', createHttp1),
  'list-10k-https': measureList,
  'fanout-1000-watchers': measureFanout,
};

export async function run(cases: readonly string[]): Promise<void> {
  for (const name of cases) await MEASURES[name]?.();
}
