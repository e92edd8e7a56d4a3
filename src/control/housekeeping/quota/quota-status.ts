/** The status that a quota should have. Pure. */
import type { ResourceQuota, ResourceQuotaStatus } from '../../../core/api/types/core-v1.ts';
import { compareQuantities, type Quantity, quantityFromJson, ZERO } from '../../../core/kube/quantity.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { addTo, readUsage, toList, type Usage } from '../../../core/placement/quota/amounts-by-name.ts';
import { compileQuota, countedNames, type QuotaEvaluator } from '../../../core/placement/quota/evaluators.ts';

/** One kind of object, and all there are of it in the namespace. */
export interface Counted {
  readonly evaluator: QuotaEvaluator;
  readonly objects: Iterable<KubeObject>;
}

export function usedOf(quota: Stored<ResourceQuota>, kinds: readonly Counted[], now: number): Usage {
  const compiled = compileQuota(quota);
  const used = new Map<string, Quantity>();
  for (const { evaluator, objects } of kinds) {
    for (const name of compiled.hard.keys()) if (evaluator.counts(name)) used.set(name, ZERO);
    for (const object of objects) {
      const names = countedNames(compiled, evaluator, object);
      if (names.length === 0) continue;
      const usage = evaluator.usage(object, now);
      for (const name of names) {
        const amount = usage.get(name);
        if (amount !== undefined) addTo(used, new Map([[name, amount]]));
      }
    }
  }
  return used;
}

/**
 * The quota with this status; the very same when it has it already. Resources that are not counted keep their old
 * usage.
 */
export function withUsed(quota: Stored<ResourceQuota>, counted: Usage): Stored<ResourceQuota> {
  const hard = quota.spec?.hard ?? {};
  const before = readUsage(quota.status?.used);
  const used = new Map([...before, ...counted].filter(([name]) => Object.hasOwn(hard, name)));
  const status = quota.status;
  const isSame =
    status !== undefined &&
    isSameList(status.hard ?? {}, hard) &&
    status.used !== undefined &&
    isSameUsage(before, used);
  if (isSame) return quota;
  const next: ResourceQuotaStatus = { hard, used: toList(used) };
  return { ...quota, status: next };
}

type List = NonNullable<ResourceQuotaStatus['hard']>;

function isSameList(a: List, b: List): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [x, y] = [a[name], b[name]];
      return x !== undefined && y !== undefined && compareQuantities(quantityFromJson(x), quantityFromJson(y)) === 0;
    })
  );
}

function isSameUsage(a: Usage, b: Usage): boolean {
  if (a.size !== b.size) return false;
  for (const [name, amount] of a) {
    const other = b.get(name);
    if (other === undefined || compareQuantities(amount, other) !== 0) return false;
  }
  return true;
}
