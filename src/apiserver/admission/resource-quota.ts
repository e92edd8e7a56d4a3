/** Refuses what would take more of a namespace's quotas than is left. */
import type { ResourceQuota } from '../../core/api/types/core-v1.ts';
import { addQuantities, compareQuantities } from '../../core/kube/quantity.ts';
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { increase, masked, printUsage, type Usage } from '../../core/placement/quota/amounts-by-name.ts';
import {
  compileQuota,
  countedNames,
  evaluatorOf,
  type QuotaEvaluator,
  takenFrom,
} from '../../core/placement/quota/evaluators.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../machinery/ports/admission.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Store } from '../store/store.ts';
import { perTenant } from '../cache/committed-cache.ts';
import { forbid } from './forbid.ts';
import { createNamespacedCache } from '../cache/namespaced-cache.ts';
import { createLedger, type Ledger } from './resource-quota-ledger.ts';

const ALLOWED: AdmissionResponse = { allowed: true };

export function createResourceQuotaAdmission(store: Store, clock: Clock): AdmissionPlugin {
  const booksOf = perTenant((tenant) => createBooks(store, clock, tenant));
  return {
    name: 'ResourceQuota',
    handles: ({ operation, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      evaluatorOf(resource.group, resource.resource)?.handles(operation, subresource) === true,
    validate(request) {
      const { namespace, resource, tenant } = request;
      if (namespace === '' || (resource.resource === 'namespaces' && resource.group === '')) return ALLOWED;
      const books = booksOf(tenant);
      const quotas = books.quotasIn(namespace);
      return quotas === undefined ? ALLOWED : judge(request, quotas, books, clock);
    },
  };
}

interface Books {
  quotasIn(namespace: string): readonly Stored<ResourceQuota>[] | undefined;
  ledger(namespace: string, group: string, resource: string, evaluator: QuotaEvaluator): Ledger;
}

/** Ledgers exist only for kinds that were requested, in namespaces that have quotas. */
function createBooks(store: Store, clock: Clock, tenant: string): Books {
  const ledgers = new Map<string, Map<string, Ledger>>();
  const quotas = createNamespacedCache<Stored<ResourceQuota>>(
    store,
    { tenant, group: '', resource: 'resourcequotas' },
    (namespace) => {
      for (const ledger of ledgers.get(namespace)?.values() ?? []) ledger.close();
      ledgers.delete(namespace);
    },
  );
  return {
    quotasIn: (namespace) => quotas.in(namespace),
    ledger(namespace, group, resource, evaluator) {
      let kinds = ledgers.get(namespace);
      if (kinds === undefined) ledgers.set(namespace, (kinds = new Map()));
      const id = `${group}/${resource}`;
      let ledger = kinds.get(id);
      if (ledger === undefined) {
        kinds.set(id, (ledger = createLedger(store, clock, { tenant, group, resource }, namespace, evaluator)));
      }
      return ledger;
    },
  };
}

interface Claim {
  readonly quota: Stored<ResourceQuota>;
  readonly wanted: Usage;
}

function judge(
  request: AdmissionRequest,
  quotas: readonly Stored<ResourceQuota>[],
  books: Books,
  clock: Clock,
): AdmissionResponse {
  const { namespace, oldObject: old, operation, resource, subresource } = request;
  const { group, resource: plural } = resource;
  const object = request.object as KubeObject;
  const evaluator = evaluatorOf(group, plural);
  if (evaluator?.handles(operation, subresource, object, old) !== true) return ALLOWED;

  const now = clock.now();
  const claims: Claim[] = [];
  let usage: Usage | undefined;
  for (const quota of quotas) {
    const compiled = compileQuota(quota);
    const names = countedNames(compiled, evaluator, object);
    if (names.length === 0) continue;
    const problem = evaluator.problem(names, object);
    if (problem !== undefined) return forbid(request, `failed quota: ${quota.metadata.name}: ${problem}`);
    usage ??= evaluator.usage(object, now);
    const isCounted = old !== undefined && countedNames(compiled, evaluator, old).length > 0;
    const wanted = isCounted
      ? masked(increase(usage, evaluator.usage(old, now)), compiled.hard)
      : takenFrom(compiled, usage);
    if (wanted.size > 0) claims.push({ quota, wanted });
  }
  if (usage === undefined || claims.length === 0) return ALLOWED;
  const negative = negativeNames(usage);
  if (negative.length > 0) {
    return forbid(request, `quota usage is negative for resource(s): ${negative.toSorted().join(',')}`);
  }

  const ledger = books.ledger(namespace, group, plural, evaluator);
  if (subresource !== 'status') {
    for (const claim of claims) {
      if (excess(claim, ledger).length === 0) continue;
      // Counted again before a refusal: pods that ended without an event must not count.
      ledger.recount();
      const exceeded = excess(claim, ledger);
      if (exceeded.length > 0) return forbid(request, exceededText(claim, ledger, exceeded));
    }
  }
  if (!request.dryRun) {
    const { uid = '', name } = object.metadata;
    const given = new Map(claims.map(({ quota, wanted }) => [quota.metadata.uid, wanted]));
    const key = { tenant: request.tenant, group, resource: plural, namespace, name };
    ledger.reserve({ key, uid, isNew: operation === 'CREATE', given });
  }
  return ALLOWED;
}

const NONE: readonly string[] = [];

function negativeNames(usage: Usage): readonly string[] {
  let names: string[] | undefined;
  for (const [name, amount] of usage) if (amount.mantissa < 0) (names ??= []).push(name);
  return names ?? NONE;
}

function excess({ quota, wanted }: Claim, ledger: Ledger): readonly string[] {
  const { hard } = compileQuota(quota);
  const used = ledger.used(quota);
  let exceeded: string[] | undefined;
  for (const [name, amount] of wanted) {
    const limit = hard.get(name);
    const before = used.get(name);
    const after = before === undefined ? amount : addQuantities(before, amount);
    if (limit !== undefined && compareQuantities(after, limit) > 0) (exceeded ??= []).push(name);
  }
  return exceeded?.toSorted() ?? NONE;
}

function exceededText({ quota, wanted }: Claim, ledger: Ledger, exceeded: readonly string[]): string {
  const { hard } = compileQuota(quota);
  const parts = [
    `exceeded quota: ${quota.metadata.name}`,
    `requested: ${printUsage(wanted, exceeded)}`,
    `used: ${printUsage(ledger.used(quota), exceeded)}`,
    `limited: ${printUsage(hard, exceeded)}`,
  ];
  return parts.join(', ');
}
