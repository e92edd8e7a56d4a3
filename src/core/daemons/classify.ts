/**
 * What is a daemon? DaemonSets, Orders in daemonSet mode, and kinds a user names (`group/version/kind`). One classifier
 * for all callers: overhead, drains, the tenant guard and plans must agree, or they undo each other.
 */
import type { DaemonSet } from '../api/types/apps-v1.ts';
import type { Pod, PodSpec } from '../api/types/core-v1.ts';
import { orderPlan } from '../api/kinds/reservation/order-plan.ts';
import { RESERVATION_LABELS } from '../api/names.ts';
import type { Order } from '../api/types/korder-v1alpha1.ts';
import { labelOf } from '../kube/labels.ts';
import type { OwnerReference } from '../kube/meta-v1.ts';
import type { KubeObject } from '../kube/objects.ts';
import { compileEligibility, DAEMON_SET_POLICY, type Eligibility, ORDER_POLICY } from './eligibility.ts';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export class GvkError extends Error {
  override readonly name = 'GvkError';
  readonly code = 'EN_DAEMONS_GVK';
}

/** `group/version/kind`, the core group with nothing before the first slash. */
export function parseGvk(text: string): GroupVersionKind {
  const [group = '', version = '', kind = '', ...rest] = text.trim().split('/');
  if (rest.length > 0 || version === '' || kind === '')
    throw new GvkError(`parsing other daemon GVKs, invalid GVK format "${text.trim()}", expected 'group/version/kind'`);
  return { group, version, kind };
}

/** A comma-separated list; blanks between commas are skipped. */
export const parseGvks = (text: string): readonly GroupVersionKind[] =>
  text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(parseGvk);

export interface Daemon {
  readonly sort: 'DaemonSet' | 'Order' | 'Other';
  /** UID, or kind and name where there is none yet. */
  readonly key: string;
  readonly object: KubeObject;
  /** The pod spec of one child; undefined for kinds without a pod template in the usual place. */
  readonly spec: PodSpec | undefined;
  readonly eligibility: Eligibility;
}

export interface DaemonClassifier {
  /** The daemon this object is; undefined when it is none. */
  classify(object: KubeObject): Daemon | undefined;
  /** Whether a child with this owner is a daemon's. */
  isDaemonOwner(owner: Pick<OwnerReference, 'apiVersion' | 'kind'>): boolean;
  /**
   * Whether the pod is a daemon's: by any owner, not only the controlling one, or as the guardian of an Order in daemonSet mode. The
   * guardians of other Orders are workload.
   */
  isDaemonPod(pod: Pod): boolean;
}

const apiVersionOf = ({ group, version }: GroupVersionKind): string => (group === '' ? version : `${group}/${version}`);
const KORDER_GROUP = 'core.korder.dev/';
const EMPTY_SPEC: PodSpec = Object.freeze({ containers: Object.freeze([]) });

export function createDaemonClassifier(others: readonly GroupVersionKind[] = []): DaemonClassifier {
  const otherKinds = new Set(others.map((gvk) => `${apiVersionOf(gvk)} ${gvk.kind}`));
  const isOther = (apiVersion: string, kind: string): boolean => otherKinds.has(`${apiVersion} ${kind}`);

  const isDaemonOwner = ({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): boolean =>
    (kind === 'DaemonSet' && apiVersion.startsWith('apps/')) || isOther(apiVersion, kind);

  return {
    classify(object) {
      const { apiVersion, kind } = object;
      if (kind === 'DaemonSet' && apiVersion.startsWith('apps/')) return daemonSet(object as DaemonSet);
      if (kind === 'Order' && apiVersion.startsWith(KORDER_GROUP)) return order(object as Order);
      return isOther(apiVersion, kind) ? other(object) : undefined;
    },
    isDaemonOwner,
    isDaemonPod: (pod) => (pod.metadata.ownerReferences?.some(isDaemonOwner) ?? false) || isOverheadGuardian(pod),
  };
}

/** How guardians of daemonSet Orders are marked, for cluster-autoscaler too. */
const OVERHEAD_ANNOTATION = 'cluster-autoscaler.kubernetes.io/daemonset-pod';

const isOverheadGuardian = ({ metadata }: Pod): boolean =>
  labelOf(metadata.labels, RESERVATION_LABELS.guardian) === 'true' &&
  labelOf(metadata.annotations, OVERHEAD_ANNOTATION) === 'true';

const keyOf = ({ apiVersion, kind, metadata }: KubeObject): string =>
  metadata.uid ?? `${apiVersion}/${kind}/${metadata.namespace ?? ''}/${metadata.name}`;

function daemonSet(object: DaemonSet): Daemon {
  const spec = object.spec.template.spec ?? EMPTY_SPEC;
  return { sort: 'DaemonSet', key: keyOf(object), object, spec, eligibility: compileEligibility(spec) };
}

const orderSpecs = new WeakMap<object, PodSpec>();

function order(object: Order): Daemon | undefined {
  const ticket = object.spec.template?.spec;
  if (!orderPlan(object.spec).daemonSet) return undefined;
  let spec = ticket === undefined ? EMPTY_SPEC : orderSpecs.get(ticket);
  if (spec === undefined && ticket !== undefined) {
    const { resources, nodeName, nodeSelector, affinity, tolerations } = ticket;
    spec = {
      containers: [{ name: 'guardian', ...(resources === undefined ? {} : { resources }) }],
      ...(nodeName === undefined ? {} : { nodeName }),
      ...(nodeSelector === undefined ? {} : { nodeSelector }),
      ...(affinity === undefined ? {} : { affinity }),
      ...(tolerations === undefined ? {} : { tolerations }),
    };
    orderSpecs.set(ticket, spec);
  }
  const eligibility = compileEligibility(spec ?? EMPTY_SPEC, ORDER_POLICY);
  return { sort: 'Order', key: keyOf(object), object, spec: spec ?? EMPTY_SPEC, eligibility };
}

function other(object: KubeObject): Daemon {
  const spec = templateSpec(object);
  return {
    sort: 'Other',
    key: keyOf(object),
    object,
    spec,
    eligibility: compileEligibility(spec ?? EMPTY_SPEC, DAEMON_SET_POLICY),
  };
}

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Most kinds that make pods keep a pod template where Kubernetes' own do. Nothing is promised of others. */
function templateSpec(object: KubeObject): PodSpec | undefined {
  const { spec } = object as KubeObject & { readonly spec?: unknown };
  const template = isObject(spec) ? spec['template'] : undefined;
  const inner = isObject(template) ? template['spec'] : undefined;
  if (!isObject(inner) || !Array.isArray(inner['containers']) || !inner['containers'].every(isObject)) return undefined;
  return inner as unknown as PodSpec;
}
