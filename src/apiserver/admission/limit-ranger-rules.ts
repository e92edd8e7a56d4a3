/**
 * LimitRange rules for one object: defaults for containers, and amounts below the minimum or above the maximum. Pure.
 */
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  PodSpec,
} from '../../core/api/types/core-v1.ts';
import type { ResourceList } from '../../core/api/rules/findings.ts';
import { formatQuantity, type Quantity, quantityMilliValue, quantityValue, ZERO } from '../../core/kube/quantity.ts';
import { readUsage, type Usage } from '../../core/placement/quota/amounts-by-name.ts';
import { podLimits } from '../../core/placement/quota/pod-usage.ts';
import { podRequests } from '../../core/placement/requests.ts';

type Amounts = { readonly [name: string]: string | number };

/** Own properties only: names come from users. */
const merged = (...lists: readonly (ResourceList | undefined)[]): Amounts =>
  Object.fromEntries(lists.flatMap((list) => Object.entries(list ?? {})));

const itemsOf = (range: LimitRange, type: string): readonly LimitRangeItem[] =>
  (range.spec?.limits ?? []).filter((item) => item.type === type);

export interface Defaulted {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[] | undefined;
  /** The note that is left on the pod; undefined when nothing was filled in. */
  readonly note: string | undefined;
}

/** The containers with the defaults of one range. */
export function withDefaults(range: LimitRange, spec: PodSpec): Defaulted {
  const items = itemsOf(range, 'Container');
  const limits = merged(...items.map((item) => item.default));
  const requests = merged(...items.map((item) => item.defaultRequest));
  const notes: string[] = [];
  const fill = (containers: readonly Container[], called: string): readonly Container[] => {
    let isChanged = false;
    const filled = containers.map((container) => {
      const more = missing(requests, container.resources?.requests);
      const most = missing(limits, container.resources?.limits);
      if (more.length > 0) notes.push(`${more.join(', ')} request for ${called} ${container.name}`);
      if (most.length > 0) notes.push(`${most.join(', ')} limit for ${called} ${container.name}`);
      if (more.length === 0 && most.length === 0) return container;
      isChanged = true;
      return {
        ...container,
        resources: {
          ...container.resources,
          ...(most.length === 0 ? {} : { limits: merged(limits, container.resources?.limits) }),
          ...(more.length === 0 ? {} : { requests: merged(requests, container.resources?.requests) }),
        },
      };
    });
    return isChanged ? filled : containers;
  };
  const containers = fill(spec.containers ?? [], 'container');
  const initContainers = spec.initContainers === undefined ? undefined : fill(spec.initContainers, 'init container');
  const note = notes.length === 0 ? undefined : `LimitRanger plugin set: ${notes.join('; ')}`;
  return { containers, initContainers, note };
}

const missing = (defaults: Amounts, said: ResourceList | undefined): readonly string[] =>
  Object.keys(defaults)
    .filter((name) => said === undefined || !Object.hasOwn(said, name))
    .toSorted();

/** All violations of the range by the pod, in upstream's words. */
export function podComplaints(range: LimitRange, spec: PodSpec): readonly string[] {
  const complaints: string[] = [];
  for (const item of range.spec?.limits ?? []) {
    if (item.type === 'Container') {
      for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
        complain(complaints, item, readUsage(resources?.requests), readUsage(resources?.limits));
      }
    } else if (item.type === 'Pod') {
      // A pod's overhead is not the user's to answer for.
      const { overhead: _, ...own } = spec;
      complain(complaints, item, podRequests(own), podLimits(own));
    }
  }
  return complaints;
}

export function claimComplaints(range: LimitRange, claim: PersistentVolumeClaim): readonly string[] {
  const complaints: string[] = [];
  const requests = readUsage(claim.spec?.resources?.requests);
  for (const item of itemsOf(range, 'PersistentVolumeClaim')) {
    for (const [name, enforced] of sorted(item.min))
      push(complaints, tooLittle(item, name, enforced, requests, NO_LIMITS));
    for (const [name, enforced] of sorted(item.max)) push(complaints, requestTooMuch(item, name, enforced, requests));
  }
  return complaints;
}

const NO_LIMITS: Usage = new Map();

function complain(complaints: string[], item: LimitRangeItem, requests: Usage, limits: Usage): void {
  for (const [name, enforced] of sorted(item.min)) push(complaints, tooLittle(item, name, enforced, requests, limits));
  for (const [name, enforced] of sorted(item.max)) push(complaints, tooMuch(item, name, enforced, requests, limits));
  for (const [name, enforced] of sorted(item.maxLimitRequestRatio)) {
    push(complaints, tooWide(item, name, enforced, requests, limits));
  }
}

/** Sorted by name, so that complaints have a fixed order; upstream's order is random. */
const sorted = (list: ResourceList | undefined): readonly (readonly [string, Quantity])[] =>
  [...readUsage(list)].toSorted(([a], [b]) => (a < b ? -1 : 1));

function push(complaints: string[], complaint: string | undefined): void {
  if (complaint !== undefined) complaints.push(complaint);
}

/** Beyond this a thousandth no longer fits into 64 bits. */
const MOST_MILLI = Math.floor(2 ** 63 / 1000);

/** At a common precision, the finest that all allow. */
function comparable(...amounts: readonly Quantity[]): readonly number[] {
  return amounts.every((amount) => quantityValue(amount) <= MOST_MILLI)
    ? amounts.map(quantityMilliValue)
    : amounts.map(quantityValue);
}

function tooLittle(
  { type }: LimitRangeItem,
  name: string,
  enforced: Quantity,
  requests: Usage,
  limits: Usage,
): string | undefined {
  const request = requests.get(name);
  const limit = limits.get(name);
  const said = `minimum ${name} usage per ${type} is ${formatQuantity(enforced)}`;
  const [asked = 0, most = 0, least = 0] = comparable(request ?? ZERO, limit ?? ZERO, enforced);
  if (request === undefined) return `${said}.  No request is specified`;
  if (asked < least) return `${said}, but request is ${formatQuantity(request)}`;
  if (limit !== undefined && most < least) return `${said}, but limit is ${formatQuantity(limit)}`;
  return undefined;
}

function tooMuch(
  { type }: LimitRangeItem,
  name: string,
  enforced: Quantity,
  requests: Usage,
  limits: Usage,
): string | undefined {
  const request = requests.get(name);
  const limit = limits.get(name);
  const said = `maximum ${name} usage per ${type} is ${formatQuantity(enforced)}`;
  const [asked = 0, allowed = 0, most = 0] = comparable(request ?? ZERO, limit ?? ZERO, enforced);
  if (limit === undefined) return `${said}.  No limit is specified`;
  if (allowed > most) return `${said}, but limit is ${formatQuantity(limit)}`;
  if (request !== undefined && asked > most) return `${said}, but request is ${formatQuantity(request)}`;
  return undefined;
}

function requestTooMuch(
  { type }: LimitRangeItem,
  name: string,
  enforced: Quantity,
  requests: Usage,
): string | undefined {
  const request = requests.get(name);
  const said = `maximum ${name} usage per ${type} is ${formatQuantity(enforced)}`;
  if (request === undefined) return `${said}.  No request is specified`;
  const [asked = 0, most = 0] = comparable(request, enforced);
  return asked > most ? `${said}, but request is ${formatQuantity(request)}` : undefined;
}

function tooWide(
  { type }: LimitRangeItem,
  name: string,
  enforced: Quantity,
  requests: Usage,
  limits: Usage,
): string | undefined {
  const request = requests.get(name);
  const limit = limits.get(name);
  const said = `${name} max limit to request ratio per ${type} is ${formatQuantity(enforced)}`;
  const [asked = 0, allowed = 0] = comparable(request ?? ZERO, limit ?? ZERO, enforced);
  if (request === undefined || asked === 0) return `${said}, but no request is specified or request is 0`;
  if (limit === undefined || allowed === 0) return `${said}, but no limit is specified or limit is 0`;
  const ratio = allowed / asked;
  const isFine =
    quantityValue(enforced) <= MOST_MILLI
      ? ratio * 1000 <= quantityMilliValue(enforced)
      : ratio <= quantityValue(enforced);
  return isFine ? undefined : `${said}, but provided ratio is ${ratio.toFixed(6)}`;
}
