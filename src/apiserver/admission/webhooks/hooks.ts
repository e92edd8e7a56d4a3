/**
 * Webhooks as they are configured, in the order they are asked: by name of the configuration, then as they stand in it.
 * Read from committed configurations, and again only when one of them changed.
 */
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../../core/api/types/admissionregistration-v1.ts';
import { SYSTEM_TENANT, type Stored } from '../../../core/kube/objects.ts';
import type { Store } from '../../store/store.ts';
import { createCommittedCache } from '../../cache/committed-cache.ts';

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

export interface Hook {
  readonly webhook: MutatingWebhook | ValidatingWebhook;
  /** Unique among all webhooks, also among those of the same name. */
  readonly id: string;
}

export function createHooks(store: Store, resource: string): () => readonly Hook[] {
  const group = 'admissionregistration.k8s.io';
  const configurations = createCommittedCache<Stored<Configuration>>(store, { tenant: SYSTEM_TENANT, group, resource });
  let known: readonly Hook[] = [];
  let version = -1;
  return () => {
    if (version !== configurations.version) {
      version = configurations.version;
      known = [...configurations.values()]
        .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
        .flatMap(hooksOf);
    }
    return known;
  };
}

function hooksOf({ metadata, webhooks = [] }: Stored<Configuration>): readonly Hook[] {
  const seen = new Map<string, number>();
  return webhooks.map((webhook) => {
    const count = seen.get(webhook.name) ?? 0;
    seen.set(webhook.name, count + 1);
    return { webhook, id: `${metadata.name}/${webhook.name}/${count}` };
  });
}
