/** The two servers that are asked the same: a kube-apiserver on an etcd, and ours; nobody else acts on either. */
import { parse } from 'yaml';
import { errors, Pool } from 'undici';
import { readFileSync } from 'node:fs';
import { startEmbedded } from '../../../src/assembly/embedded.ts';
import { encodeJson, parseJson, type Json } from '../../../src/core/kube/json.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { DEFINITIONS } from './api-custom.ts';

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly text?: string;
}

export interface Answer {
  readonly code: number;
  readonly warnings: readonly string[];
  readonly body: Json;
}

export interface Server {
  readonly name: string;
  send(request: Request): Promise<Answer>;
}

export interface Servers {
  readonly real: Server;
  readonly ours: Server;
  /** Something differed: whoever looks for the reason will want the logs. */
  keepLogs(): void;
  stop(): Promise<void>;
}

/** What both take for the manager of fields where none is said. */
const USER_AGENT = 'differential/1.0';
const CONNECTIONS = 12;

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ];
  readonly users: readonly [
    { readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string } },
  ];
}

const plain = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');

function connect(name: string, kubeconfig: string): { readonly server: Server; close(): Promise<void> } {
  const { clusters, users } = parse(kubeconfig) as Kubeconfig;
  const { cluster } = clusters[0];
  const { user } = users[0];
  const pool = new Pool(cluster.server, {
    connections: CONNECTIONS,
    allowH2: false,
    connect: {
      ca: plain(cluster['certificate-authority-data']),
      cert: plain(user['client-certificate-data']),
      key: plain(user['client-key-data']),
    },
  });
  return {
    server: {
      name,
      async send({ accept = 'application/json', contentType = 'application/json', method, path, text }) {
        const request = {
          method,
          path,
          headers: { accept, 'user-agent': USER_AGENT, ...(text === undefined ? {} : { 'content-type': contentType }) },
          ...(text === undefined ? {} : { body: text }),
        };
        try {
          const { body, headers, statusCode } = await pool.request(request);
          const answer = await body.text();
          return {
            code: statusCode,
            warnings: [headers['warning'] ?? []].flat().flatMap(warningTexts),
            body: readable(answer),
          };
        } catch (error) {
          if (!(error instanceof errors.SocketError)) throw error;
          // A server that hangs up has given an answer too: it is compared, and told with the request.
          return { code: 0, warnings: [], body: error.message };
        }
      },
    },
    close: () => pool.destroy(),
  };
}

const warningTexts = (header: string): readonly string[] =>
  [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text);

function readable(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

export async function startServers(): Promise<Servers> {
  const [plane, cluster] = await Promise.all([
    // Ours has these two only together with the controllers that undo what they do.
    startControlPlane({
      apiServer: [
        '--disable-admission-plugins=TaintNodesByCondition,StorageObjectInUseProtection',
        '--max-requests-inflight=2000',
        '--api-audiences=https://kubernetes.default.svc.cluster.local',
        '--max-mutating-requests-inflight=1000',
      ],
    }),
    startEmbedded({ port: 0, bind: '127.0.0.1', groups: [], controllers: [], scheduler: false, events: false }),
  ]);
  const connections = [
    connect('kube-apiserver', readFileSync(plane.admin, 'utf8')),
    connect('everynode', cluster.kubeconfig),
  ] as const;
  const [real, ours] = [connections[0].server, connections[1].server];
  const stop = async (): Promise<void> => {
    await Promise.all(connections.map((one) => one.close()));
    await cluster.stop();
    await plane.stop();
  };
  try {
    for (const server of [real, ours]) await prepare(server);
  } catch (error) {
    await stop();
    throw error;
  }
  return { real, ours, keepLogs: () => plane.keepLogs(), stop };
}

async function prepare(server: Server): Promise<void> {
  for (const definition of DEFINITIONS) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const { code, body } = await server.send({ method: 'POST', path, text: encodeJson(definition) });
    if (code !== 201) throw new Error(`${server.name}: ${encodeJson(body)}`);
    const { metadata, spec } = definition as unknown as {
      metadata: { name: string };
      spec: { group: string; names: { plural: string } };
    };
    await until(async () => {
      const { body: found } = await server.send({ method: 'GET', path: `${path}/${metadata.name}` });
      return /"type":"Established"/.test(encodeJson(found)) && encodeJson(found).includes('"InitialNamesAccepted"');
    });
    await until(
      async () =>
        (await server.send({ method: 'GET', path: `/apis/${spec.group}/v1/${spec.names.plural}` })).code === 200,
    );
  }
  for (const name of ['node-1', 'node-2'])
    await server.send({
      method: 'POST',
      path: '/api/v1/nodes',
      text: encodeJson({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: { 'topology.kubernetes.io/zone': 'a', 'topology.kubernetes.io/region': 'r' } },
      }),
    });
}

/** A namespace with the service account that nobody here would make. */
export async function makeNamespace(server: Server, name: string): Promise<void> {
  await server.send({
    method: 'POST',
    path: '/api/v1/namespaces',
    text: encodeJson({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
  });
  await server.send({
    method: 'POST',
    path: `/api/v1/namespaces/${name}/serviceaccounts`,
    text: encodeJson({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }),
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('it did not come to be');
}
