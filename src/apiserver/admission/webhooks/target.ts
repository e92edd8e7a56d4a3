/** Where a webhook is: at an address of its own, or behind a Service. */
import type { WebhookClientConfig } from '../../../core/api/types/admissionregistration-v1.ts';
import type { WebhookTarget } from '../../../machinery/client/http/webhook-caller.ts';
import { serviceEndpoint } from '../../service-endpoint.ts';
import type { Store } from '../../store/store.ts';

const HTTPS = 443;

/** Throws an `Error` that says what is missing. */
export function targetOf({ url, service, caBundle }: WebhookClientConfig, store: Store): WebhookTarget {
  const ca = caBundle ? { ca: Buffer.from(caBundle, 'base64').toString('utf8') } : {};
  if (url !== undefined) return { url, ...ca };
  if (service === undefined) throw new Error('webhook configuration must have either service or URL');
  const { namespace, name, path = '', port = HTTPS } = service;
  const shown = path === '' || path.startsWith('/') ? path : `/${path}`;
  return { url: `https://${name}.${namespace}.svc:${port}${shown}`, ...ca, connectTo: serviceEndpoint(service, store) };
}
