/**
 * From a field of a rendered object back to the field of the component it came from. Kubernetes' rules speak of the
 * former; authors know the latter.
 */
import type { Component } from '../../api/component/types.ts';
import { containersOf, type Declared } from '../containers-of.ts';
import { pathSteps, type PathStep } from '../trace.ts';
import type { Rendered } from '../render/render.ts';
import type { RenderedObject } from '../render/objects.ts';

type Path = readonly PathStep[];

export function originOf(component: Component, rendered: Rendered, object: RenderedObject, field: string): Path {
  const path = pathSteps(field);
  const { name } = object.metadata;
  switch (object.kind) {
    case 'DaemonSet':
      return ofDaemonSet(component, rendered, path);
    case 'Namespace':
      return path[1] === 'labels' ? ['spec', 'namespaceLabels', ...path.slice(2)] : ['spec', 'namespace'];
    case 'ServiceAccount':
      return component.spec.serviceAccountName === undefined ? ['metadata', 'name'] : ['spec', 'serviceAccountName'];
    case 'ConfigMap':
      return ['spec', 'configMaps', name, ...(path[0] === 'data' ? path.slice(1) : [])];
    case 'ClusterRole':
    case 'Role': {
      const rules = ['spec', 'rbac', object.kind === 'Role' ? 'namespaceRules' : 'clusterRules'];
      return path[0] === 'rules' ? [...rules, ...path.slice(1)] : ofMeta(path);
    }
    default:
      return ofMeta(path);
  }
}

const ofMeta = (path: Path): Path => (path[1] === 'namespace' ? ['spec', 'namespace'] : ['metadata', 'name']);

function ofDaemonSet(component: Component, rendered: Rendered, path: Path): Path {
  if (path[0] === 'metadata') return path[1] === 'labels' ? ['metadata'] : ofMeta(path);
  if (path[1] === 'selector') return ['metadata', 'name'];
  if (path[1] === 'updateStrategy' && component.spec.updateStrategy?.rollingUpdate === undefined) {
    return path.filter((step) => step !== 'rollingUpdate');
  }
  if (path[1] !== 'template') return path;
  if (path[2] !== 'spec') {
    const steps = path[2] === 'metadata' ? path.slice(3) : path.slice(2);
    return ['spec', 'pod', ...steps];
  }
  return ofPodSpec(component, rendered, path.slice(3));
}

function ofPodSpec(component: Component, rendered: Rendered, path: Path): Path {
  const { spec } = component;
  const [head = '', index, ...rest] = path;
  const containers = containersOf(component);
  switch (head) {
    case 'containers':
    case 'initContainers': {
      const group = containers.filter(({ role }) => (role === 'init') === (head === 'initContainers'));
      const declared = typeof index === 'number' ? group[index] : undefined;
      return declared === undefined
        ? ['spec', 'container']
        : ofContainer(declared, rendered, head, Number(index), rest);
    }
    case 'volumes':
      return ofVolume(containers, rendered, Number(index), rest);
    case 'nodeSelector':
    case 'tolerations':
      return [...(spec[head] === undefined ? ['spec', 'pod', 'scheduling'] : ['spec']), ...path];
    case 'affinity':
      return ['spec', 'pod', 'scheduling', ...affinityPath(path.slice(1))];
    case 'topologySpreadConstraints':
    case 'schedulerName':
      return ['spec', 'pod', 'scheduling', ...path];
    case 'serviceAccountName':
      return ['spec', spec.serviceAccountName === undefined ? 'pod' : 'serviceAccountName'];
    case 'securityContext':
      return ['spec', 'pod', ...(OF_POD.has(String(index)) ? path.slice(1) : path)];
    case 'hostPID':
      return ['spec', 'pod', 'hostPid'];
    case 'hostIPC':
      return ['spec', 'pod', 'hostIpc'];
    default:
      return ['spec', 'pod', ...path];
  }
}

/** Kubernetes tells of these as if they were part of the security context. */
const OF_POD = new Set(['shareProcessNamespace']);

function ofContainer(declared: Declared, rendered: Rendered, list: string, index: number, path: Path): Path {
  const [head = '', item, ...rest] = path;
  const { container, path: base } = declared;
  if (head === 'env' && typeof item === 'number') {
    const spec = rendered.daemonSet.spec.template.spec;
    const containers = list === 'containers' ? spec?.containers : spec?.initContainers;
    const name = containers?.[index]?.env?.[item]?.name;
    return [...base, 'env', ...variablePath(declared, name), ...rest.filter((step) => step !== 'valueFrom')];
  }
  if (head === 'envFrom') return [...base, 'env', ...path];
  // Kubernetes does not say which.
  if (head === 'volumeMounts' && typeof item === 'string') return [...base, head, ...mountWith(container, item), item];
  if (head === 'ports') return [...base, ...path.map((step) => (step === 'protocol' ? 'networkProtocol' : step))];
  if (/Probe$|^lifecycle$/.test(String(head))) {
    return [...base, ...path.flatMap((step, at) => portStep(container, path.slice(0, at), step))];
  }
  return [...base, ...path];
}

/** The first mount that says something wrong there: a path within a volume must neither begin with / nor climb. */
function mountWith(container: Declared['container'], field: string): Path {
  const index = (container.volumeMounts ?? []).findIndex((mount) => {
    const value = (mount as { readonly [key: string]: unknown })[field];
    return typeof value === 'string' && (value.startsWith('/') || value.split('/').includes('..'));
  });
  return index === -1 ? [] : [index];
}

/** The port of a probe is a number or a name here, and goes by two names. */
function portStep(container: Declared['container'], before: Path, step: PathStep): Path {
  const action = before.at(-1);
  if (step !== 'port' || (action !== 'httpGet' && action !== 'tcpSocket')) return [step];
  let value: unknown = container;
  for (const each of before) value = (value as { readonly [key: string]: unknown } | undefined)?.[each];
  return [(value as { readonly portName?: string } | undefined)?.portName === undefined ? 'portNumber' : 'portName'];
}

function variablePath({ container }: Declared, name: string | undefined): Path {
  for (const list of ['variables', 'secrets'] as const) {
    const index = (container.env?.[list] ?? []).findIndex((each) => each.name === name);
    if (index !== -1) return [list, index];
  }
  return [];
}

const VOLUME_NAMES: { readonly [name: string]: string } = { persistentVolumeClaim: 'pvc', secretName: 'name' };

function ofVolume(containers: readonly Declared[], rendered: Rendered, index: number, path: Path): Path {
  const name = rendered.daemonSet.spec.template.spec?.volumes?.[index]?.name;
  for (const { container, path: base } of containers) {
    const mount = (container.volumeMounts ?? []).findIndex((each) => each.name === name);
    if (mount === -1) continue;
    const tail = path[0] === 'projected' ? path.slice(3) : path;
    return [
      ...base,
      'volumeMounts',
      mount,
      // One key has one file here; Kubernetes has a list of them.
      ...tail.flatMap((step, at) =>
        step === 'items' || tail[at - 1] === 'items' ? [] : [VOLUME_NAMES[String(step)] ?? step],
      ),
    ];
  }
  return ['spec', 'container'];
}

const LONG = {
  requiredDuringSchedulingIgnoredDuringExecution: 'required',
  preferredDuringSchedulingIgnoredDuringExecution: 'preferred',
  preference: 'term',
  podAffinityTerm: 'term',
} as const;

const affinityPath = (path: Path): Path =>
  path.flatMap((step) => {
    if (step === 'nodeSelectorTerms' || step === 'labelSelector') return [];
    return [Object.hasOwn(LONG, step) ? LONG[step as keyof typeof LONG] : step];
  });
