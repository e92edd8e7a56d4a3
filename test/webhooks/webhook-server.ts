/** A webhook on loopback with a certificate of its own: it records what it is asked, and answers as it is told. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issueCertificate } from '../../src/machinery/certificates/certificates.ts';

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
    readonly requestKind: { readonly version: string; readonly kind: string };
    readonly operation: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly subResource?: string;
    readonly dryRun: boolean;
    readonly userInfo: { readonly username: string; readonly groups: readonly string[] };
    readonly object: { readonly apiVersion: string; readonly metadata: { readonly labels?: object } } | null;
    readonly oldObject: object | null;
    readonly options: object | null;
  };
}

export interface WebhookServer {
  readonly port: number;
  /** Base64, as configurations hold it. */
  readonly caBundle: string;
  readonly asked: { readonly path: string; readonly review: Review }[];
  /** What is answered below a path: a response, a status with a text, or silence. */
  on(
    path: string,
    answer: (review: Review) => object | { readonly http: number; readonly text: string } | 'silence',
  ): void;
  close(): Promise<void>;
}

interface Plain {
  readonly http: number;
  readonly text: string;
}

const isPlain = (answer: object): answer is Plain => 'http' in answer;

type Answer = Parameters<WebhookServer['on']>[1];

export async function startWebhook(names: readonly string[] = ['127.0.0.1']): Promise<WebhookServer> {
  const authority = await createAuthority('webhook authority', Date.now());
  const keys = await issueCertificate(authority, Date.now(), {
    subject: { commonName: 'webhook' },
    usage: 'server',
    hosts: names,
  });
  const answers = new Map<string, Answer>();
  const asked: { path: string; review: Review }[] = [];
  const server = createServer({ cert: keys.certificate, key: keys.key }, (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const review = JSON.parse(text) as Review;
      asked.push({ path, review });
      const answer = answers.get(path)?.(review) ?? { http: 404, text: 'no such webhook' };
      if (answer === 'silence') return;
      if (isPlain(answer)) {
        response.writeHead(answer.http).end(answer.text);
        return;
      }
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          apiVersion: review.apiVersion,
          kind: review.kind,
          response: { uid: review.request.uid, allowed: true, ...answer },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    asked,
    on: (path, answer) => void answers.set(path, answer),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const jsonPatch = (...operations: object[]): object => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
