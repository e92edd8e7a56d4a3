/** Hashes by which a Ticket is compared with its Order's template, and a guardian with its Ticket. */
import { GUARDIAN_PRIORITY_CLASS } from '../api/names.ts';
import { orderPlan } from '../api/kinds/reservation/order-plan.ts';
import type { Affinity, ResourceRequirements } from '../api/types/core-v1.ts';
import type { OrderSpec, TicketSpec } from '../api/types/korder-v1alpha1.ts';
import { fnv1a64Hex } from '../kube/hash.ts';
import { formatQuantity } from '../kube/quantity.ts';
import { readQuantity } from '../placement/resource-amounts.ts';

const templateHashes = new WeakMap<OrderSpec, string>();
const guardianHashes = new WeakMap<TicketSpec, string>();

/** Changes with everything that the Tickets of an Order are made from: the template, and the time that the plan adds to it. */
export function templateHash(spec: OrderSpec): string {
  let hash = templateHashes.get(spec);
  if (hash === undefined) {
    const { durationMs } = orderPlan(spec).ticket;
    hash = fnv1a64Hex(`${durationMs ?? ''} ${sortedText(spec.template ?? {})}`);
    templateHashes.set(spec, hash);
  }
  return hash;
}

/**
 * Changes with everything of a Ticket that its guardian shows. A pin to one node counts as a pin, whichever the node is and however
 * it is written, so that the hash is one for all Tickets of a template.
 */
export function guardianHash(spec: TicketSpec): string {
  let hash = guardianHashes.get(spec);
  if (hash === undefined) guardianHashes.set(spec, (hash = hashOf(spec)));
  return hash;
}

/** The hash computed last: Tickets of one template share every part but the pin, and come one after the other. */
let last: { readonly parts: readonly unknown[]; readonly hash: string } | undefined;

function hashOf(spec: TicketSpec): string {
  const parts = partsOf(spec);
  if (last?.parts.every((part, at) => part === parts[at]) === true) return last.hash;
  last = { parts, hash: fnv1a64Hex(guardianText(spec)) };
  return last.hash;
}

/** All that the text of a guardian is made from; equal parts are mostly the same objects. */
function partsOf(spec: TicketSpec): readonly unknown[] {
  const { isPinned, affinity } = withoutPin(spec);
  return [
    isPinned,
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
    affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
    affinity?.podAffinity,
    affinity?.podAntiAffinity,
    spec.resources,
    spec.nodeSelector,
    spec.tolerations,
    spec.topologySpreadConstraints,
    spec.schedulerName,
    spec.priorityClassName,
  ];
}

function guardianText(spec: TicketSpec): string {
  const pin = withoutPin(spec);
  return sortedText({
    isPinned: pin.isPinned,
    affinity: pin.affinity,
    resources: withCanonicalQuantities(spec.resources),
    nodeSelector: spec.nodeSelector,
    tolerations: spec.tolerations,
    topologySpreadConstraints: spec.topologySpreadConstraints,
    schedulerName: spec.schedulerName ?? 'default-scheduler',
    priorityClassName: spec.priorityClassName ?? GUARDIAN_PRIORITY_CLASS,
  });
}

interface Unpinned {
  readonly isPinned: boolean;
  readonly affinity: Affinity | undefined;
}

function withoutPin({ nodeName, affinity }: TicketSpec): Unpinned {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const isPinned =
    terms.length === 1 &&
    (terms[0]?.matchExpressions ?? []).length === 0 &&
    terms[0]?.matchFields?.length === 1 &&
    terms[0].matchFields[0]?.operator === 'In';
  if (!isPinned || affinity === undefined) return { isPinned: (nodeName ?? '') !== '', affinity };
  const { requiredDuringSchedulingIgnoredDuringExecution: _pin, ...preferred } = affinity.nodeAffinity ?? {};
  return { isPinned, affinity: { ...affinity, nodeAffinity: preferred } };
}

const withCanonicalQuantities = (resources: ResourceRequirements | undefined): unknown => ({
  ...resources,
  requests: mapValues(resources?.requests ?? {}),
  limits: mapValues(resources?.limits ?? {}),
});

const mapValues = (quantities: { readonly [name: string]: string | number }): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, formatQuantity(readQuantity(value))]));

/** JSON with keys in order, and without empty lists and objects, which different servers write differently. */
function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const text = sortedText((value as { readonly [key: string]: unknown })[key]);
    if (text !== 'null' && text !== '{}' && text !== '[]') parts.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${parts.join(',')}}`;
}
