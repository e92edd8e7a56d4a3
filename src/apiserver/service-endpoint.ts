/**
 * An address behind a Service, for the API server's own calls to webhooks. Cluster IPs are not routed here, and in pods
 * of simulated nodes nothing runs, so of use are endpoints on other nodes, those entered by hand, or another name.
 */
import { FLEET_ANNOTATIONS } from '../core/api/names.ts';
import type { Endpoint, EndpointSlice } from '../core/api/types/discovery-v1.ts';
import { goQuote } from '../core/kube/go-text.ts';
import { SYSTEM_TENANT } from '../core/kube/objects.ts';
import type { Store } from './store/store.ts';

export interface ServicePlace {
  readonly namespace: string;
  readonly name: string;
  readonly port?: number | undefined;
}

const HTTPS = 443;
const SERVICE_NAME = 'kubernetes.io/service-name';

/** Throws an `Error` that says what is missing. */
export function serviceEndpoint(place: ServicePlace, store: Store): { readonly host: string; readonly port: number } {
  const { namespace, name, port = HTTPS } = place;
  const service = store.get({ tenant: SYSTEM_TENANT, group: '', resource: 'services', namespace, name });
  if (service === undefined) throw new Error(`service ${goQuote(name)} not found`);
  const { type, externalName } = (service as { spec?: { type?: string; externalName?: string } }).spec ?? {};
  if (type === 'ExternalName' && externalName !== undefined) return { host: externalName, port };
  const portName = portNameOf(service, port);
  if (portName === undefined) throw new Error(`no service port ${port} found for service ${goQuote(name)}`);
  let pods = 0;
  const slices = { tenant: SYSTEM_TENANT, group: 'discovery.k8s.io', resource: 'endpointslices' };
  for (const object of store.list(slices, { namespace })) {
    const slice = object as unknown as EndpointSlice;
    if (slice.metadata.labels?.[SERVICE_NAME] !== name) continue;
    const number = (slice.ports ?? []).find((each) => (each.name ?? '') === portName)?.port;
    const ready = (slice.endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
    const host = ready.find((endpoint) => isReachable(endpoint, store))?.addresses[0];
    if (host !== undefined && number !== undefined) return { host, port: number };
    pods += ready.length;
  }
  throw new Error(pods === 0 ? `no endpoints available for service ${goQuote(name)}` : nothingRuns(place, pods));
}

/** Entered by hand, or backed by a pod on a node that has a kubelet. */
function isReachable({ targetRef, nodeName = '' }: Endpoint, store: Store): boolean {
  if (targetRef?.kind !== 'Pod') return true;
  const node = store.get({ tenant: SYSTEM_TENANT, group: '', resource: 'nodes', namespace: '', name: nodeName });
  const simulated = node?.metadata.annotations?.[FLEET_ANNOTATIONS.simulated] ?? 'false';
  return node !== undefined && simulated === 'false';
}

const nothingRuns = ({ namespace, name }: ServicePlace, pods: number): string =>
  `service ${goQuote(`${namespace}/${name}`)} has ${pods === 1 ? 'one endpoint, a pod' : `${pods} endpoints, all of them pods`} of simulated nodes, in which nothing runs: ` +
  'run the webhook on this machine and say where with clientConfig.url (https://127.0.0.1:PORT/PATH, and its caBundle) instead of clientConfig.service, ' +
  `or make ${name} a Service of type ExternalName that is called localhost`;

function portNameOf(service: object, port: number): string | undefined {
  const { ports = [] } = (service as { spec?: { ports?: readonly { port: number; name?: string }[] } }).spec ?? {};
  const found = ports.find((each) => each.port === port);
  return found === undefined ? undefined : (found.name ?? '');
}
