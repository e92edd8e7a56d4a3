/** The kubeconfig of a cluster we started: certificate credentials, nothing that needs another file. */
import { stringify } from 'yaml';
import type { KeyPair } from '../machinery/certificates/certificates.ts';

export interface KubeconfigFacts {
  readonly server: string;
  /** PEM of the authority that signed the server. */
  readonly authority: string;
  readonly client: KeyPair;
  /** Name of cluster, user and context. */
  readonly name: string;
  /** Namespace of the context; `default` unless given. */
  readonly namespace?: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export function kubeconfigText({ server, authority, client, name, namespace }: KubeconfigFacts): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [
      {
        name,
        user: { 'client-certificate-data': base64(client.certificate), 'client-key-data': base64(client.key) },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) } }],
  });
}
