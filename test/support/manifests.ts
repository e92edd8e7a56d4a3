/** Small objects that several suites create. */

export interface PodWishes {
  readonly labels?: { readonly [key: string]: string };
  readonly image?: string;
  readonly nodeName?: string;
  readonly [field: string]: unknown;
}

export const podOf = (name: string, { labels, image = 'nginx', ...spec }: PodWishes = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...(labels === undefined ? {} : { labels }) },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image }], ...spec },
});

export const configMapOf = (name: string, data: { readonly [key: string]: string }): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

export const daemonSetOf = (name: string, image = 'agent:1'): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'agent', image }] } },
  },
});

/** Several objects in one document, as `kubectl create -f -` takes them. */
export const listOf = (...items: readonly object[]): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
