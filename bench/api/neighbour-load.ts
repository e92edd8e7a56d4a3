/** A client without manners, in a process of its own: one load without end, until it is killed. */
import { connect, constants, type ClientHttp2Session } from 'node:http2';

export type Load = 'yaml' | 'protobuf' | 'selector' | 'slow-watch' | 'yaml-bodies';

export interface LoadOptions {
  readonly load: Load;
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

const options = JSON.parse(process.argv[2] ?? '{}') as LoadOptions;
const CONNECTIONS = 4;
const open = (window: number): ClientHttp2Session => {
  const session = connect(options.url, { ca: options.ca, settings: { initialWindowSize: window } });
  // Streams that the server breaks off are part of the load.
  session.on('error', () => {});
  return session;
};
const sessions: (ClientHttp2Session | undefined)[] = [];
/** A connection that the server ended is opened again. */
function session(index: number): ClientHttp2Session {
  const known = sessions[index % CONNECTIONS];
  if (known !== undefined && !known.closed && !known.destroyed) return known;
  return (sessions[index % CONNECTIONS] = open(1 << 24));
}
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Request {
  readonly path: string;
  readonly accept?: string;
  readonly method?: string;
  readonly type?: string;
  readonly body?: string;
}

const counts = new Map<number, number>();

function ask(index: number, { accept = 'application/json', body, method = 'GET', path, type }: Request): Promise<void> {
  return new Promise((resolve) => {
    let status = 0;
    const stream = session(index).request({
      [constants.HTTP2_HEADER_METHOD]: method,
      [constants.HTTP2_HEADER_PATH]: path,
      authorization: `Bearer ${options.token}`,
      accept,
      ...(type === undefined ? {} : { 'content-type': type }),
    });
    stream.on('response', (headers) => (status = Number(headers[constants.HTTP2_HEADER_STATUS])));
    stream.on('error', () => {});
    stream.on('close', () => {
      counts.set(status, (counts.get(status) ?? 0) + 1);
      // The server refused the request (429), or broke it off.
      void sleep(status === 200 || status === 201 ? 0 : 200).then(resolve);
    });
    stream.resume();
    stream.end(body);
  });
}

async function repeat(atOnce: number, request: (index: number, round: number) => Request): Promise<void> {
  await Promise.all(
    Array.from({ length: atOnce }, async (_, index) => {
      for (let round = 0; ; round += 1) await ask(index, request(index, round));
    }),
  );
}

const PODS = '/api/v1/pods';
const MAPS = '/api/v1/namespaces/default/configmaps';
/** A selector no longer than a header may be. */
const selector = (seed: string): string =>
  encodeURIComponent(Array.from({ length: 300 }, (_, i) => `k${seed}${i}!=v`).join(','));

/** 2.5 MB of small values: about ten seconds of parsing. */
const yamlBody = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${Array.from({ length: 40_000 }, (_, i) => `  key-${i}: "${'v'.repeat(45)}"`).join('\n')}\n`;

/** Watches that are opened and never read, while the watched objects change. */
async function watchSlowly(): Promise<void> {
  const slow = Array.from({ length: 2 }, () => open(65_535));
  for (const one of slow) {
    for (let i = 0; i < 8; i += 1) {
      const stream = one.request({
        [constants.HTTP2_HEADER_PATH]: `${MAPS}?watch=1&resourceVersion=0`,
        authorization: `Bearer ${options.token}`,
      });
      stream.on('error', () => {});
      stream.pause();
    }
  }
  const text = 'x'.repeat(100_000);
  for (let round = 0; ; round += 1) {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'watched' },
      data: { text, round: String(round) },
    };
    const body = JSON.stringify(object);
    await ask(0, {
      method: round === 0 ? 'POST' : 'PUT',
      path: round === 0 ? MAPS : `${MAPS}/watched`,
      type: 'application/json',
      body,
    });
    await sleep(20);
  }
}

const LOADS: { readonly [load in Load]: () => Promise<void> } = {
  yaml: () => repeat(30, () => ({ path: PODS, accept: 'application/yaml' })),
  protobuf: () => repeat(30, () => ({ path: PODS, accept: 'application/vnd.kubernetes.protobuf' })),
  selector: () =>
    repeat(200, (index, round) => ({ path: `${PODS}?labelSelector=${selector(`${index}-${round}-`)}&limit=500` })),
  'slow-watch': watchSlowly,
  'yaml-bodies': () => {
    const bodies = Array.from({ length: 24 }, (_, i) => yamlBody(`large-${i}`));
    return repeat(24, (i) => ({
      method: 'POST',
      path: `${MAPS}?dryRun=All`,
      type: 'application/yaml',
      body: bodies[i] ?? '',
    }));
  },
};

process.on('SIGTERM', () => {
  process.stderr.write(`${JSON.stringify(Object.fromEntries(counts))}\n`);
  process.exit(0);
});
await LOADS[options.load]();
