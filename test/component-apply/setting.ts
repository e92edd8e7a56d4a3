/** The embedded API server under an apply, through both transports: in process in virtual time, and over HTTP. */
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { createHttpClient } from '../../src/machinery/client/http/http-client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { CONFIG_MAPS, NAMESPACES } from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import type { ApplyContext } from '../../src/control/component/apply/rendered.ts';
import type { Progress } from '../../src/control/component/apply/progress.ts';
import { refText } from '../../src/control/component/apply/object-ref.ts';
import type { AppliedStep } from '../../src/control/component/apply/apply.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import type { RenderedComponent } from '../../src/control/component/apply/rendered.ts';
import { resourceFinder } from '../../src/control/component/apply/object-ref.ts';
import { managedFieldsOf } from '../../src/control/component/apply/ownership.ts';

export interface Setting {
  readonly cluster: TestCluster;
  /** The same server, by both transports. */
  readonly clients: { readonly inProcess: Client; readonly http: Client };
  stop(): Promise<void>;
}

export type Transport = keyof Setting['clients'];
export const TRANSPORTS: readonly Transport[] = ['inProcess', 'http'];

const platform = { clock: realClock, random: realRandom };

export const contextOf = (client: Client, told: Progress[] = [], signal?: AbortSignal): ApplyContext => ({
  client,
  ...platform,
  onProgress: (progress) => void told.push(progress),
  ...(signal === undefined ? {} : { signal }),
});

/** An embedded cluster with all its controllers. */
export async function openSetting(nodes: number): Promise<Setting> {
  const cluster = await startTestCluster({ groups: nodes === 0 ? [] : [{ name: 'node', count: nodes }] });
  const http = createHttpClient(await loadKubeconfig({ path: cluster.kubeconfigFile, clock: realClock }), platform);
  return {
    cluster,
    clients: { inProcess: cluster.client, http },
    async stop() {
      await http.close();
      await cluster.stop();
    },
  };
}

let spaces = 0;
/** A namespace nobody has used. */
export const freshNamespace = (): string => `space-${(spaces += 1)}`;

export const outcomes = (steps: readonly AppliedStep[]): readonly string[] =>
  steps.map(({ object, outcome }) => `${outcome} ${refText(object)}`);

/** What is there of a component, without what differs from run to run: times, versions, identities. */
export async function stateOf(
  client: Client,
  components: readonly RenderedComponent[],
): Promise<{ readonly [object: string]: unknown }> {
  const state: { [object: string]: unknown } = {};
  for (const { identity, objects } of components) {
    const find = resourceFinder(objects);
    const { namespace } = identity;
    const inventory = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `everynode-inventory-${identity.name}` },
    };
    for (const object of [...objects, inventory]) {
      const resource = find(object);
      const { name } = object.metadata;
      const key = resource.namespaced ? { namespace, name } : { name };
      const live = await client.get(resource, key).catch(() => undefined);
      state[`${object.kind} ${name}`] = live === undefined ? 'absent' : plain(live);
    }
  }
  return state;
}

function plain(live: Awaited<ReturnType<Client['get']>>): unknown {
  const { metadata, status: _status, ...rest } = live as typeof live & { readonly status?: unknown };
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _time,
    managedFields: _fields,
    generation: _count,
    ...named
  } = metadata;
  const data = (rest as { readonly data?: { readonly [key: string]: string } }).data;
  const annotations = Object.entries(named.annotations ?? {}).filter(([key]) => !key.startsWith('deprecated.'));
  const owners = managedFieldsOf(live)
    .filter(({ subresource = '' }) => subresource === '')
    .map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return {
    ...rest,
    ...(data?.['appliedAt'] === undefined ? {} : { data: { ...data, appliedAt: 'some time' } }),
    metadata: { ...named, annotations: Object.fromEntries(annotations) },
    owners,
  };
}

export const namespaceExists = (client: Client, name: string): Promise<boolean> =>
  client.get(NAMESPACES, { name }).then(
    () => true,
    () => false,
  );

export const inventoryOf = async (client: Client, namespace = 'logging', name = 'agent') =>
  (await client.get(CONFIG_MAPS, { namespace, name: `everynode-inventory-${name}` })).data ?? {};
