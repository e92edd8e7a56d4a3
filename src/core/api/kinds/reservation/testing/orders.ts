/** Orders, Tickets and Quotas as the API server would judge them. */
import { fieldErrorMessage } from '../../../../kube/field-errors.ts';
import type { KubeObject } from '../../../../kube/objects.ts';
import type { KindStrategy } from '../../../kind/kind-definition.ts';
import { checkObject } from '../../../schema/check.ts';
import type { Order, Quota, Ticket } from '../../../types/korder-v1alpha1.ts';
import { orderStrategy } from '../order.ts';
import { quotaStrategy } from '../quota.ts';
import { ticketStrategy } from '../ticket.ts';

const API_VERSION = 'core.korder.dev/v1alpha1';
/** When the objects of tests are created. */
const CREATED = '2026-03-01T12:00:00Z';

const ROOM = { resources: { requests: { cpu: '100m' } } };

const metaOf = (more: object): Order['metadata'] => ({
  name: 'buffer',
  namespace: 'default',
  uid: 'u',
  resourceVersion: '1',
  creationTimestamp: CREATED,
  ...more,
});

/** An Order that is fine, but for `spec` and `ticket`, the spec of its template. */
export const orderOf = (spec: object = {}, ticket: object = {}, metadata: object = {}): Order => ({
  apiVersion: API_VERSION,
  kind: 'Order',
  metadata: metaOf(metadata),
  spec: { template: { spec: { ...ROOM, ...ticket } }, ...spec },
});

export const ticketOf = (spec: object = {}, metadata: object = {}): Ticket => ({
  apiVersion: API_VERSION,
  kind: 'Ticket',
  metadata: metaOf(metadata),
  spec: { ...ROOM, ...spec },
});

export const quotaOf = (spec: object = {}): Quota => {
  const { namespace: _, ...metadata } = metaOf({});
  return { apiVersion: API_VERSION, kind: 'Quota', metadata, spec: { hard: { tickets: 10 }, ...spec } };
};

const JUDGES: { readonly [kind: string]: KindStrategy } = {
  Order: orderStrategy,
  Ticket: ticketStrategy,
  Quota: quotaStrategy,
};

/** An object as it is stored. */
export function decoded<T extends KubeObject>(object: T): T {
  const { object: checked, error, unknownFields } = checkObject(`korder/v1alpha1.${object.kind}`, object);
  if (error !== undefined || unknownFields.length > 0) throw new Error(error ?? `unknown: ${unknownFields.join()}`);
  return strategyOf(object).defaults(checked as KubeObject) as T;
}

const strategyOf = ({ kind }: KubeObject): KindStrategy => {
  const strategy = JUDGES[kind];
  if (strategy === undefined) throw new Error(`no rules for ${kind}`);
  return strategy;
};

/** Findings about a new object. */
export const refusals = (object: KubeObject): readonly string[] =>
  strategyOf(object)
    .validate(strategyOf(object).prepareForCreate(decoded(object)))
    .map(fieldErrorMessage);

/** Findings about a change. */
export const changeRefusals = (object: KubeObject, old: KubeObject, subresource = ''): readonly string[] => {
  const before = decoded(old);
  const strategy = strategyOf(object);
  const after = strategy.prepareForUpdate(decoded(object), before, subresource);
  return strategy.validateUpdate(after, before, subresource).map(fieldErrorMessage);
};

export const warnings = (object: KubeObject, old?: KubeObject): readonly string[] =>
  strategyOf(object).warnings?.(decoded(object), old === undefined ? undefined : decoded(old)) ?? [];
