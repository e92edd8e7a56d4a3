/** Bundles in webhook configurations: whether each webhook holds the right one, and the configuration with it where not. */
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '../../../core/api/types/admissionregistration-v1.ts';
import { certificatesIn } from './state.ts';

export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** The Service behind which the replicas stand; webhooks of a configuration that go elsewhere are left alone. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
}

const isOurs = ({ service }: WebhookClientConfig, ours: WebhookService): boolean =>
  service?.namespace === ours.namespace && service.name === ours.name;

const bundleIn = ({ caBundle = '' }: WebhookClientConfig): string => Buffer.from(caBundle, 'base64').toString('utf8');

/** Whether every webhook of the configuration that goes to the Service believes this authority. */
export const holdsAuthority = (
  { webhooks = [] }: WebhookConfiguration,
  ours: WebhookService,
  authority: string,
): boolean =>
  webhooks.every(
    ({ clientConfig }) => !isOurs(clientConfig, ours) || certificatesIn(bundleIn(clientConfig)).includes(authority),
  );

/** The configuration with the bundle in every webhook that goes to the Service; the same reference when it is there already. */
export function withBundle<T extends WebhookConfiguration>(configuration: T, ours: WebhookService, bundle: string): T {
  const caBundle = Buffer.from(bundle).toString('base64');
  let isChanged = false;
  const webhooks = (configuration.webhooks ?? []).map((webhook) => {
    if (!isOurs(webhook.clientConfig, ours) || webhook.clientConfig.caBundle === caBundle) return webhook;
    isChanged = true;
    return { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } };
  });
  return isChanged ? { ...configuration, webhooks } : configuration;
}
