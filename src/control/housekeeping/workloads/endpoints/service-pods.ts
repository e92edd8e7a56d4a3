/** The endpoints of a Service: its pods, their addresses and ports, and whether they are ready. Pure. */
import type { ObjectReference, Pod, Service, ServicePort } from '../../../../core/api/types/core-v1.ts';
import { isPodReady } from '../../../../core/daemons/pod-child.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import { deepEqual } from '../../../../core/kube/immutable.ts';
import type { Labels } from '../../../../core/kube/labels.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { selectorFromLabels } from '../../../../core/kube/selector.ts';
import { remembering, type Selects } from '../../../../machinery/children/selectors.ts';

const known = new WeakMap<Labels, Selects>();

/** Undefined: the Service's endpoints are not ours to manage. */
export function selectsOf({ spec }: Service): Selects | undefined {
  const labels = spec?.selector;
  if (labels === undefined || Object.keys(labels).length === 0 || spec?.type === 'ExternalName') return undefined;
  let selects = known.get(labels);
  if (selects === undefined) known.set(labels, (selects = remembering(selectorFromLabels(labels))));
  return selects;
}

export type Family = 'IPv4' | 'IPv6';

export const familyOf = (address: string): Family => (address.includes(':') ? 'IPv6' : 'IPv4');

export function familiesOf({ spec }: Service): readonly Family[] {
  const families = spec?.ipFamilies?.filter((family): family is Family => family === 'IPv4' || family === 'IPv6') ?? [];
  return families.length > 0 ? families : ['IPv4'];
}

export const isHeadless = ({ spec }: Service): boolean => spec?.clusterIP === 'None';

/** Pods that have ended, or have no address yet, are no endpoints. */
export const hasEndpoint = (pod: Pod): boolean =>
  pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed' && (pod.status?.podIPs?.length ?? 0) > 0;

export interface Conditions {
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
}

export function conditionsOf(service: Service, pod: Pod): Conditions {
  const serving = isPodReady(pod);
  const terminating = isBeingDeleted(pod);
  return { ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating), serving, terminating };
}

export interface TargetPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** The Service's ports as this pod has them; one whose name the pod does not know is left out. */
export function portsOf({ spec }: Service, pod: Pod): readonly TargetPort[] {
  const found: TargetPort[] = [];
  for (const servicePort of spec?.ports ?? []) {
    const port = targetOf(servicePort, pod);
    if (port === undefined) continue;
    const { name = '', protocol = 'TCP', appProtocol } = servicePort;
    found.push({ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) });
  }
  return found;
}

function targetOf({ targetPort, port, protocol = 'TCP' }: ServicePort, pod: Pod): number | undefined {
  if (targetPort === undefined || targetPort === 0 || targetPort === '') return port;
  if (typeof targetPort === 'number') return targetPort;
  const sidecars = pod.spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always') ?? [];
  for (const container of [...pod.spec.containers, ...sidecars])
    for (const each of container.ports ?? [])
      if (each.name === targetPort && (each.protocol ?? 'TCP') === protocol) return each.containerPort;
  return undefined;
}

export const hostnameOf = (service: Service, { spec, metadata }: Pod): string | undefined =>
  spec.hostname !== undefined &&
  spec.subdomain === service.metadata.name &&
  metadata.namespace === service.metadata.namespace
    ? spec.hostname
    : undefined;

export const referenceTo = ({ metadata: { namespace, name, uid } }: Stored<Pod>): ObjectReference => ({
  kind: 'Pod',
  ...(namespace === undefined ? {} : { namespace }),
  name,
  uid,
});

/** Whether two states of a pod differ in a field that endpoints show. */
export function isTold(a: Pod, b: Pod): boolean {
  return (
    a.metadata.deletionTimestamp !== b.metadata.deletionTimestamp ||
    a.spec.nodeName !== b.spec.nodeName ||
    isPodReady(a) !== isPodReady(b) ||
    hasEndpoint(a) !== hasEndpoint(b) ||
    !deepEqual(a.status?.podIPs, b.status?.podIPs) ||
    !deepEqual(a.metadata.labels, b.metadata.labels)
  );
}
