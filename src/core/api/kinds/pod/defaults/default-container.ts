/** Defaults of containers. */
import type {
  Container,
  ContainerPort,
  EnvVar,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  ResourceFieldSelector,
  ResourceRequirements,
} from '../../../types/core-v1.ts';
import { setOwn } from '../../../../kube/immutable.ts';
import { amountText, roundedList } from '../../../rules/amounts.ts';
import type { ResourceList } from '../../../rules/findings.ts';
import { has } from '../../../rules/findings.ts';
import { isLatest } from '../../../rules/image-reference.ts';
import { subtreeMemo } from '../../../rules/memo.ts';
import { mapIfAny, mapShared } from '../../../rules/sharing.ts';

/** In `template` mode, defaults that depend on the pod (requests, host ports) are left to the pod. */
export type DefaultingMode = 'template' | 'pod' | 'hostNetworkPod';

const remembered = {
  template: subtreeMemo<readonly Container[], readonly Container[]>(),
  pod: subtreeMemo<readonly Container[], readonly Container[]>(),
  hostNetworkPod: subtreeMemo<readonly Container[], readonly Container[]>(),
};

/** Containers and init containers alike. The list itself when it lacks nothing. */
export function defaultContainers<T extends readonly Container[] | undefined>(containers: T, mode: DefaultingMode): T {
  if (containers === undefined || containers.length === 0) return containers;
  const memo = remembered[mode];
  const known = memo.get(containers);
  if (known !== undefined) return known as T;
  const filled =
    mode === 'template'
      ? mapShared(containers, defaultContainer)
      : mapShared(containers, (container) => defaultForPod(defaultContainer(container), mode === 'hostNetworkPod'));
  if (mode === 'template') {
    memo.keep(containers, filled);
    memo.keep(filled, filled);
  } else {
    memo.offer(containers, filled);
    if (filled !== containers) memo.offer(filled, filled);
  }
  return filled as T;
}

export const pullPolicyFor = (image: string | undefined): string => (isLatest(image ?? '') ? 'Always' : 'IfNotPresent');

type Common = Omit<Container, 'name'> & { readonly name?: string };

/** Also right for ephemeral containers, which share these fields. */
export function defaultContainer<C extends Common>(container: C): C {
  const ports = mapIfAny(container.ports, defaultPort);
  const env = mapIfAny(container.env, defaultEnv);
  const resources = roundResources(container.resources);
  const livenessProbe = defaultProbe(container.livenessProbe);
  const readinessProbe = defaultProbe(container.readinessProbe);
  const startupProbe = defaultProbe(container.startupProbe);
  const lifecycle = defaultLifecycle(container.lifecycle);
  if (
    container.imagePullPolicy &&
    container.terminationMessagePath &&
    container.terminationMessagePolicy &&
    ports === container.ports &&
    env === container.env &&
    resources === container.resources &&
    livenessProbe === container.livenessProbe &&
    readinessProbe === container.readinessProbe &&
    startupProbe === container.startupProbe &&
    lifecycle === container.lifecycle
  ) {
    return container;
  }
  return {
    ...container,
    ...(ports === undefined ? undefined : { ports }),
    ...(env === undefined ? undefined : { env }),
    ...(resources === undefined ? undefined : { resources }),
    ...(livenessProbe === undefined ? undefined : { livenessProbe }),
    ...(readinessProbe === undefined ? undefined : { readinessProbe }),
    ...(startupProbe === undefined ? undefined : { startupProbe }),
    ...(lifecycle === undefined ? undefined : { lifecycle }),
    terminationMessagePath: container.terminationMessagePath || '/dev/termination-log',
    terminationMessagePolicy: container.terminationMessagePolicy || 'File',
    imagePullPolicy: container.imagePullPolicy || pullPolicyFor(container.image),
  };
}

const defaultPort = (port: ContainerPort): ContainerPort => (port.protocol ? port : { ...port, protocol: 'TCP' });

function defaultEnv(variable: EnvVar): EnvVar {
  const source = variable.valueFrom;
  if (source === undefined) return variable;
  const { fieldRef, fileKeyRef, resourceFieldRef } = source;
  const resource = defaultResourceField(resourceFieldRef);
  const lacksVersion = fieldRef !== undefined && !fieldRef.apiVersion;
  const lacksOptional = fileKeyRef !== undefined && fileKeyRef.optional === undefined;
  if (!lacksVersion && !lacksOptional && resource === resourceFieldRef) return variable;
  return {
    ...variable,
    valueFrom: {
      ...source,
      ...(resource === undefined ? undefined : { resourceFieldRef: resource }),
      ...(lacksVersion ? { fieldRef: { ...fieldRef, apiVersion: 'v1' } } : undefined),
      ...(lacksOptional ? { fileKeyRef: { ...fileKeyRef, optional: false } } : undefined),
    },
  };
}

/** Without a divisor the value is read in whole units. */
export function defaultResourceField(reference: ResourceFieldSelector | undefined): ResourceFieldSelector | undefined {
  if (reference === undefined) return reference;
  const divisor = amountText(reference.divisor ?? '0');
  return divisor === reference.divisor ? reference : { ...reference, divisor };
}

/** Quantities finer than a thousandth are rounded up, and all are written in canonical form. */
export function roundResources<R extends ResourceRequirements | undefined>(resources: R): R {
  if (resources === undefined) return resources;
  const limits = roundedList(resources.limits);
  const requests = roundedList(resources.requests);
  if (limits === resources.limits && requests === resources.requests) return resources;
  return {
    ...resources,
    ...(limits === undefined ? undefined : { limits }),
    ...(requests === undefined ? undefined : { requests }),
  };
}

function defaultProbe(probe: Probe | undefined): Probe | undefined {
  if (probe === undefined) return probe;
  const httpGet = defaultHttpGet(probe.httpGet);
  const lacksService = probe.grpc !== undefined && probe.grpc.service === undefined;
  if (
    probe.timeoutSeconds &&
    probe.periodSeconds &&
    probe.successThreshold &&
    probe.failureThreshold &&
    httpGet === probe.httpGet &&
    !lacksService
  ) {
    return probe;
  }
  return {
    ...probe,
    ...(httpGet === undefined ? undefined : { httpGet }),
    ...(lacksService && probe.grpc ? { grpc: { ...probe.grpc, service: '' } } : undefined),
    timeoutSeconds: probe.timeoutSeconds || 1,
    periodSeconds: probe.periodSeconds || 10,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 3,
  };
}

function defaultHttpGet(action: HTTPGetAction | undefined): HTTPGetAction | undefined {
  if (action === undefined || (action.path && action.scheme)) return action;
  return { ...action, path: action.path || '/', scheme: action.scheme || 'HTTP' };
}

function defaultLifecycle(lifecycle: Lifecycle | undefined): Lifecycle | undefined {
  if (lifecycle === undefined) return lifecycle;
  const postStart = defaultHandler(lifecycle.postStart);
  const preStop = defaultHandler(lifecycle.preStop);
  if (postStart === lifecycle.postStart && preStop === lifecycle.preStop) return lifecycle;
  return {
    ...lifecycle,
    ...(postStart === undefined ? undefined : { postStart }),
    ...(preStop === undefined ? undefined : { preStop }),
  };
}

function defaultHandler(handler: LifecycleHandler | undefined): LifecycleHandler | undefined {
  const httpGet = defaultHttpGet(handler?.httpGet);
  return handler === undefined || httpGet === undefined || httpGet === handler.httpGet
    ? handler
    : { ...handler, httpGet };
}

/** Requests default to the limits, and on the host's network host ports default to the container ports. */
function defaultForPod(container: Container, hostNetwork: boolean): Container {
  const resources = requestsFromLimits(container.resources);
  const ports = hostNetwork ? mapIfAny(container.ports, hostPortFor) : container.ports;
  if (resources === container.resources && ports === container.ports) return container;
  return {
    ...container,
    ...(resources === undefined ? undefined : { resources }),
    ...(ports === undefined ? undefined : { ports }),
  };
}

const hostPortFor = (port: ContainerPort): ContainerPort =>
  port.hostPort ? port : { ...port, hostPort: port.containerPort };

function requestsFromLimits(resources: ResourceRequirements | undefined): ResourceRequirements | undefined {
  const limits = resources?.limits;
  if (limits === undefined) return resources;
  const requests = resources?.requests;
  let filled: { [key: string]: string | number } | undefined;
  for (const name of Object.keys(limits)) {
    if (has(requests, name)) continue;
    filled ??= copyOf(requests);
    setOwn(filled, name, limits[name] ?? '0');
  }
  return filled === undefined ? resources : { ...resources, requests: filled };
}

export function copyOf(list: ResourceList | undefined): { [key: string]: string | number } {
  return list === undefined ? {} : { ...list };
}
