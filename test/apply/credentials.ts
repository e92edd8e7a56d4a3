/** What it takes to speak to a test cluster without a client library. */
import { parse } from 'yaml';

export interface Credentials {
  readonly server: string;
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly [field: string]: string } }];
  readonly users: readonly [{ readonly user: { readonly [field: string]: string } }];
}

const decoded = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString('utf8');

export function credentialsOf(kubeconfig: string): Credentials {
  const { clusters, users } = parse(kubeconfig) as Kubeconfig;
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  return {
    server: cluster['server'] ?? '',
    tls: {
      ca: decoded(cluster['certificate-authority-data']),
      cert: decoded(user['client-certificate-data']),
      key: decoded(user['client-key-data']),
    },
  };
}
