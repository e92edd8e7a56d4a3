/** An embedded cluster whose KubernetesDaemonSets are kept by the controller, and what tests ask of it. */
import { createApiServer } from '../../src/apiserver/api-server.ts';
import { LOOPBACK } from '../../src/apiserver/contract/users.ts';
import { createInProcessClient } from '../../src/apiserver/inprocess/in-process-client.ts';
import { createComponentAdmission } from '../../src/control/component/admission/component-admission.ts';
import { componentDefinitions } from '../../src/core/api/component/definitions.ts';
import { COMPONENT_KIND, COMPONENT_PLURAL } from '../../src/core/api/component/generations.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, EVENTS, NAMESPACES } from '../../src/core/api/registry/resources.ts';
import type { Event } from '../../src/core/api/types/core-v1.ts';
import type { ComponentObject } from '../../src/control/component/controller/component-object.ts';
import { createComponentController } from '../../src/control/component/controller/component-controller.ts';
import { findCondition, isConditionTrue } from '../../src/core/kube/conditions.ts';
import type { KubeObject, Resource, Stored } from '../../src/core/kube/objects.ts';
import { isStatus } from '../../src/core/kube/status-error.ts';
import type { AdmissionPlugin } from '../../src/machinery/ports/admission.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import type { Clock } from '../../src/machinery/time/clock.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { rememberingLogger, type LogLine } from '../../src/machinery/logging/logger.ts';
import type { Random } from '../../src/machinery/random/random.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { counting } from '../component-apply/faulty-client.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';

export const GROUP = 'kubernetes.planton.dev';
export const componentsOf = (group = GROUP, version = 'v1'): Resource<ComponentObject> => ({
  group,
  version,
  resource: COMPONENT_PLURAL,
  kind: COMPONENT_KIND,
  namespaced: true,
});
export const COMPONENTS = componentsOf();

const LIMIT_MS = 15_000;

/** What it read when it became what was waited for. */
export async function until<T>(read: () => Promise<T>, isIt: (value: T) => boolean, limitMs = LIMIT_MS): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await read();
    if (isIt(value)) return value;
    if (Date.now() > end)
      throw new Error(`it did not come about in time: ${JSON.stringify(value, undefined, 1)?.slice(0, 6000)}`);
    await realClock.sleep(25);
  }
}

export async function installDefinitions(client: Client, wait: typeof until = until): Promise<void> {
  for (const definition of componentDefinitions()) {
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition).catch((error: unknown) => {
      if (!isStatus(error, 'AlreadyExists')) throw error;
    });
    await wait(
      () => client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: definition.metadata.name }),
      ({ status }) => isConditionTrue(status?.conditions, 'Established'),
    );
  }
}

export interface Setting {
  readonly cluster: TestCluster;
  readonly client: Client;
  /** Writes without being judged, as somebody does where no webhook is registered. */
  readonly careless: Client;
  /** Writes what is judged first, as where a webhook is registered. */
  readonly judged: Client;
  /** Every write of the controller, as `verb resource name`. */
  readonly writes: string[];
  readonly controller: RunningController;
  stop(): Promise<void>;
}

/** An embedded cluster, and a controller beside it whose writes are counted. */
export async function openSetting(nodes = 3): Promise<Setting> {
  const cluster = await startTestCluster({
    groups: nodes === 0 ? [] : [{ name: 'node', count: nodes }],
    controllers: ['*', '-component-controller'],
  });
  const { client, api } = cluster;
  await installDefinitions(client);
  const { store, registry, authorizer } = api;
  const serverWith = (admission: readonly AdmissionPlugin[]): Client => {
    const like = { store, registry, authorizer, clock: realClock, random: realRandom };
    return createInProcessClient(createApiServer({ ...like, admission }), { user: LOOPBACK });
  };
  const counted = counting(client);
  const controller = startController(counted.client);
  return {
    cluster,
    client,
    careless: serverWith([]),
    judged: serverWith([createComponentAdmission()]),
    writes: counted.seen,
    controller,
    async stop() {
      await controller.stop();
      await cluster.stop();
    },
  };
}

/** Nothing was written for a while. */
export async function quiet({ writes }: Pick<Setting, 'writes'>, forMs = 600): Promise<void> {
  for (let count = -1; count !== writes.length;) {
    count = writes.length;
    await realClock.sleep(forMs);
  }
}

export interface RunningController {
  readonly lines: readonly LogLine[];
  stop(): Promise<void>;
}

/** A controller by itself, over any client. */
export function startController(
  client: Client,
  time: { readonly clock: Clock; readonly random: Random } = { clock: realClock, random: realRandom },
): RunningController {
  const { logger, lines } = rememberingLogger();
  const platform = { ...time, logger };
  const informers = createInformers(client, platform);
  const controller = createComponentController({ client, informers, ...platform });
  const stopping = new AbortController();
  const runs = [informers.start(stopping.signal), controller.start(stopping.signal)];
  return {
    lines,
    async stop() {
      stopping.abort();
      await Promise.all(runs);
    },
  };
}

export interface ManifestOptions {
  readonly name?: string;
  readonly home?: string;
  readonly namespace?: string;
  readonly image?: string;
  readonly annotations?: { readonly [key: string]: string };
  readonly spec?: { readonly [field: string]: unknown };
  readonly container?: { readonly [field: string]: unknown };
  readonly apiVersion?: string;
}

/** A component that brings one of everything. */
export function manifest(options: ManifestOptions = {}): ComponentObject {
  const { name = 'agent', home = 'default', namespace = 'logging', image = 'example.test/agent:1' } = options;
  return {
    apiVersion: options.apiVersion ?? `${GROUP}/v1`,
    kind: COMPONENT_KIND,
    metadata: {
      name,
      namespace: home,
      ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
    },
    spec: {
      namespace,
      createNamespace: true,
      createServiceAccount: true,
      rbac: {
        clusterRules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] }],
        namespaceRules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }],
      },
      container: {
        app: {
          image,
          resources: { requests: { cpu: '10m', memory: '16Mi' } },
          volumeMounts: [{ name: 'config', mountPath: '/etc/agent', configMap: { name: `${name}-config` } }],
          ...options.container,
        },
      },
      pod: { terminationGracePeriodSeconds: 0 },
      ...options.spec,
      // Always brought, since it is mounted: pods wait for a ConfigMap that is not there.
      configMaps: {
        [`${name}-config`]: { 'agent.conf': 'level: info\n' },
        ...(options.spec?.['configMaps'] as object | undefined),
      },
    },
  };
}

export const getComponent = (client: Client, name = 'agent', namespace = 'default'): Promise<Stored<ComponentObject>> =>
  client.get(COMPONENTS, { namespace, name });

export const conditionOf = ({ status }: ComponentObject, type: string) => findCondition(status?.conditions, type);

export const isTrue = (object: ComponentObject, type: string): boolean =>
  isConditionTrue(object.status?.conditions, type) && object.status?.observedGeneration === object.metadata.generation;

export const untilTrue = (
  client: Client,
  type: string,
  name = 'agent',
  home = 'default',
): Promise<Stored<ComponentObject>> =>
  until(
    () => getComponent(client, name, home),
    (object) => isTrue(object, type),
  );

export const find = async <T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  name: string,
  namespace?: string,
): Promise<Stored<T> | undefined> =>
  client.get(resource, namespace === undefined ? { name } : { namespace, name }).catch((error: unknown) => {
    if (!isStatus(error, 'NotFound')) throw error;
    return undefined;
  });

/** Gone, with all it brought. */
export async function removed(client: Client, name = 'agent', home = 'default'): Promise<void> {
  await client.delete(COMPONENTS, { namespace: home, name });
  await until(
    () => find(client, COMPONENTS, name, home),
    (object) => object === undefined,
  );
}

export const eventsAbout = async (client: Client, name: string, home = 'default'): Promise<readonly Event[]> =>
  (await client.list(EVENTS, { namespace: home, fieldSelector: `involvedObject.name=${name}` })).items;

export const change = (client: Client, spec: { readonly [field: string]: unknown }, name = 'agent', home = 'default') =>
  client.patch(COMPONENTS, { namespace: home, name }, { type: 'merge', body: { spec } as never });

export const makeNamespace = async (client: Client, name: string): Promise<void> => {
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} });
};
