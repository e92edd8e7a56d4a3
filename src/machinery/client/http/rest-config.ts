/** How to reach one API server and as whom. Made from a kubeconfig, from a pod's own files, or by hand. */
export interface RestConfig {
  /** `https://host:port`, possibly with a path that every request begins with. */
  readonly server: string;
  readonly tls?: TlsConfig;
  /** `http://` or `https://` proxy that requests go through. */
  readonly proxyUrl?: string;
  readonly credentials?: CredentialSource;
  readonly impersonate?: Impersonation;
  readonly userAgent?: string;
  /** Namespace of the context; nothing here uses it, callers may. */
  readonly namespace?: string;
}

export interface TlsConfig {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Name expected in the certificate, where it is not the host's. */
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

/** The credentials of a request. A client certificate, where there is one, belongs to the connection. */
export interface Credentials {
  readonly authorization?: string;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export interface CredentialSource {
  /** The credentials of now: cached where that is right, renewed where it is due. */
  get(): Promise<Credentials>;
  /** The server refused the last ones: get others if there can be any. Answers whether a retry makes sense. */
  refresh(): Promise<boolean>;
}

export const fixedCredentials = (credentials: Credentials): CredentialSource => ({
  get: () => Promise.resolve(credentials),
  refresh: () => Promise.resolve(false),
});

/** RFC 7617; kubeconfigs may still carry it for proxies in front of an API server. */
export const basicAuthorization = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;
