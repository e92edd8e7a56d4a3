/** Where a webhook is: at an address of its own, or behind a Service. */
import type { ServiceReference, WebhookClientConfig } from '../../../core/api/types/admissionregistration-v1.ts';
import type { EndpointSlice } from '../../../core/api/types/discovery-v1.ts';
import { goQuote } from '../../../core/kube/go-text.ts';
import { SYSTEM_TENANT } from '../../../core/kube/objects.ts';
import type { WebhookTarget } from '../../../machinery/http/webhook-caller.ts';
import type { Store } from '../../store/store.ts';

const HTTPS = 443;

/** Throws an `Error` that says what is missing. */
export function targetOf({ url, service, caBundle }: WebhookClientConfig, store: Store): WebhookTarget {
  const ca = caBundle ? { ca: Buffer.from(caBundle, 'base64').toString('utf8') } : {};
  if (url !== undefined) return { url, ...ca };
  if (service === undefined) throw new Error('webhook configuration must have either service or URL');
  const { namespace, name, path = '', port = HTTPS } = service;
  const shown = path === '' || path.startsWith('/') ? path : `/${path}`;
  return { url: `https://${name}.${namespace}.svc:${port}${shown}`, ...ca, connectTo: endpointOf(service, store) };
}

/**
 * An address behind the Service. Nobody routes its cluster IP here, and pods of simulated nodes listen nowhere, so only
 * endpoints that somebody entered by hand are of use, or another name for it.
 */
function endpointOf({ namespace, name, port = HTTPS }: ServiceReference, store: Store): { host: string; port: number } {
  const service = store.get({ tenant: SYSTEM_TENANT, group: '', resource: 'services', namespace, name });
  if (service === undefined) throw new Error(`service ${goQuote(name)} not found`);
  const { type, externalName } = (service as { spec?: { type?: string; externalName?: string } }).spec ?? {};
  if (type === 'ExternalName' && externalName !== undefined) return { host: externalName, port };
  const portName = portNameOf(service, port);
  if (portName === undefined) throw new Error(`no service port ${port} found for service ${goQuote(name)}`);
  const slices = { tenant: SYSTEM_TENANT, group: 'discovery.k8s.io', resource: 'endpointslices' };
  for (const object of store.list(slices, { namespace })) {
    const slice = object as unknown as EndpointSlice;
    if (slice.metadata.labels?.['kubernetes.io/service-name'] !== name) continue;
    const number = (slice.ports ?? []).find((each) => (each.name ?? '') === portName)?.port;
    const ready = (slice.endpoints ?? []).find(
      ({ conditions, targetRef }) => conditions?.ready !== false && targetRef?.kind !== 'Pod',
    );
    const host = ready?.addresses[0];
    if (host !== undefined && number !== undefined) return { host, port: number };
  }
  throw new Error(`no endpoints available for service ${goQuote(name)}`);
}

function portNameOf(service: object, port: number): string | undefined {
  const { ports = [] } = (service as { spec?: { ports?: readonly { port: number; name?: string }[] } }).spec ?? {};
  const found = ports.find((each) => each.port === port);
  return found === undefined ? undefined : (found.name ?? '');
}
