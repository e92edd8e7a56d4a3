/** The API server of the embedded profile: kinds, admission chain and hooks over a store. */
import { accessAdmission } from '../apiserver/access/admission.ts';
import { createAuthorizer } from '../apiserver/access/authorizer.ts';
import { authorizeExpressions } from '../apiserver/admission/authorize-expressions.ts';
import { builtInAdmission, type BuiltInAdmissionOptions, closingAdmission } from '../apiserver/admission/built-in.ts';
import { createMutatingPolicies } from '../apiserver/admission/policies/mutating-policies.ts';
import { createValidatingPolicies } from '../apiserver/admission/policies/validating-policies.ts';
import { createMutatingWebhooks } from '../apiserver/admission/webhooks/mutating.ts';
import { createValidatingWebhooks } from '../apiserver/admission/webhooks/validating.ts';
import { createApiServer, type ApiServer } from '../apiserver/api-server.ts';
import type { ApiHooks } from '../apiserver/contract/hooks.ts';
import type { ConvertObjects } from '../apiserver/custom/conversion.ts';
import type { Store } from '../apiserver/store/store.ts';
import { builtInKinds } from '../core/api/registry/built-in-kinds.ts';
import { createRegistry } from '../core/api/registry/registry.ts';
import type { WebhookCaller } from '../machinery/client/http/webhook-caller.ts';
import type { Logger } from '../machinery/logging/logger.ts';
import type { AdmissionPlugin } from '../machinery/ports/admission.ts';
import { realRandom } from '../machinery/random/real-random.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import { admissionPlugins } from './catalogue/admission.ts';
import type { ServedKinds } from './catalogue/served-kinds.ts';

export interface EmbeddedApiOptions {
  readonly hooks?: Partial<ApiHooks>;
  /** Options of the built-in admission plugins. */
  readonly admission?: Omit<BuiltInAdmissionOptions, 'store'>;
  /** Admission plugins of ours; all of them unless given. */
  readonly plugins?: readonly AdmissionPlugin[];
  readonly convert?: ConvertObjects;
  /** Absent: no webhook outside the process is called. */
  readonly webhooks?: WebhookCaller;
  /** Kinds of ours that controllers keep; none unless given. */
  readonly kept?: ServedKinds;
}

/** Benchmarks measure exactly this API server. */
export function createEmbeddedApi(store: Store, logger: Logger, options: EmbeddedApiOptions = {}): ApiServer {
  const { hooks = {}, kept, webhooks, convert, plugins = admissionPlugins() } = options;
  const authorizer = createAuthorizer(store);
  const registry = createRegistry([...builtInKinds(), ...(kept?.builtIn ?? [])]);
  const own = builtInAdmission({ ...options.admission, store });
  const asking = { store, registry, random: realRandom, logger, authorize: authorizeExpressions(authorizer) };
  const policies = createMutatingPolicies(asking, own);
  return createApiServer({
    store,
    registry,
    clock: realClock,
    random: realRandom,
    authorizer,
    admission: [
      ...own,
      policies.plugin,
      ...(webhooks === undefined
        ? []
        : [createMutatingWebhooks({ ...asking, caller: webhooks }, [...own, policies.again])]),
      // After every plugin that may change an object: webhooks must not decide who requests a certificate.
      ...accessAdmission(authorizer, realClock),
      createValidatingPolicies(asking),
      ...plugins,
      ...(webhooks === undefined ? [] : [createValidatingWebhooks({ ...asking, caller: webhooks })]),
      ...closingAdmission({ store, clock: realClock }),
    ],
    hooks,
    logger,
    heldNames: kept?.held ?? [],
    ...(convert === undefined ? {} : { convert }),
  });
}
