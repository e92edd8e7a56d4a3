/**
 * Faults that the API server accepts and no node can start: the pods would exist and never run. All of them show in the
 * manifest, so they are reported before anything is applied.
 */
import type { Component, ComponentContainer } from '../../api/component/types.ts';
import { containersOf, type Declared } from '../containers-of.ts';
import type { Fault } from '../read/scalars.ts';
import type { PathStep } from '../trace.ts';
import type { Identity } from '../render/mode.ts';

type Report = (path: readonly PathStep[], fault: Fault) => void;

export function checkStart(component: Component, identity: Identity, report: Report): void {
  for (const declared of containersOf(component)) {
    checkPortNames(declared, report);
    checkUser(declared, component, report);
    checkKeys(declared, component, report);
    checkContainerNames(declared, component, identity, report);
    // The existing tool drops such a path, and daemons that it made must go on unchanged.
    if (identity.mode === 'safe') checkFilePaths(declared, report);
  }
}

type Action = { readonly httpGet?: Port; readonly tcpSocket?: Port };
type Port = { readonly portName?: string };

const actionsOf = (container: ComponentContainer): readonly (readonly [readonly string[], Action | undefined])[] => [
  [['livenessProbe'], container.livenessProbe],
  [['readinessProbe'], container.readinessProbe],
  [['startupProbe'], container.startupProbe],
  [['lifecycle', 'postStart'], container.lifecycle?.postStart],
  [['lifecycle', 'preStop'], container.lifecycle?.preStop],
];

/** The kubelet would find no port of that name, and the pod were never ready. */
function checkPortNames({ container, path }: Declared, report: Report): void {
  const names = (container.ports ?? []).map(({ name }) => name);
  for (const [steps, action] of actionsOf(container)) {
    for (const kind of ['httpGet', 'tcpSocket'] as const) {
      const name = action?.[kind]?.portName;
      if (name === undefined || names.includes(name)) continue;
      report([...path, ...steps, kind, 'portName'], {
        code: 'EN_COMPONENT_VALUE',
        message: `the container has no port called ${JSON.stringify(name)}`,
        expected: names.length === 0 ? 'a port number' : `one of ${names.join(', ')}`,
      });
    }
  }
}

/** Fields of the container win over those of the pod. */
function checkUser({ container, path }: Declared, { spec }: Component, report: Report): void {
  const own = container.securityContext;
  const shared = spec.pod?.securityContext;
  const user = own?.runAsUser ?? shared?.runAsUser;
  const isForbidden = own?.runAsNonRoot ?? shared?.runAsNonRoot;
  if (user !== 0 || isForbidden !== true) return;
  const isOwn = own?.runAsUser !== undefined || own?.runAsNonRoot !== undefined;
  const field = (isOwn ? own : shared)?.runAsUser === undefined ? 'runAsNonRoot' : 'runAsUser';
  report([...(isOwn ? path : ['spec', 'pod']), 'securityContext', field], {
    code: 'EN_COMPONENT_VALUE',
    message: 'user 0 is root, which runAsNonRoot forbids: the container would never start',
    suggestion: 'choose another user, or leave runAsNonRoot out',
  });
}

/** Keys of ConfigMaps that the manifest itself holds. */
function checkKeys({ container, path }: Declared, { spec }: Component, report: Report): void {
  const check = (
    source: { readonly name: string; readonly key?: string; readonly optional?: boolean } | undefined,
    at: readonly PathStep[],
  ): void => {
    if (source?.key === undefined || source.optional === true) return;
    const { name, key } = source;
    const files = Object.hasOwn(spec.configMaps ?? {}, name) ? spec.configMaps?.[name] : undefined;
    if (files === undefined || Object.hasOwn(files, key)) return;
    const keys = Object.keys(files);
    report([...path, ...at, 'key'], {
      code: 'EN_COMPONENT_VALUE',
      message: `the ConfigMap ${name} has no ${JSON.stringify(key)}: the container would wait for it for ever`,
      ...(keys.length === 0 ? {} : { expected: `one of ${keys.join(', ')}`, suggestion: `it has ${keys.join(', ')}` }),
    });
  };
  for (const [index, { configMap }] of (container.volumeMounts ?? []).entries())
    check(configMap, ['volumeMounts', index, 'configMap']);
  for (const [index, { configMapKeyRef }] of (container.env?.variables ?? []).entries())
    check(configMapKeyRef, ['env', 'variables', index, 'configMapKeyRef']);
}

function checkContainerNames({ container, path }: Declared, component: Component, identity: Identity, report: Report) {
  const names = containersOf(component).map(({ role, container: { name } }) =>
    role === 'app' ? identity.containerName : (name ?? ''),
  );
  for (const [index, { resourceFieldRef }] of (container.env?.variables ?? []).entries()) {
    const name = resourceFieldRef?.containerName;
    if (name === undefined || names.includes(name)) continue;
    report([...path, 'env', 'variables', index, 'resourceFieldRef', 'containerName'], {
      code: 'EN_COMPONENT_VALUE',
      message: `there is no container called ${JSON.stringify(name)}`,
      expected: `one of ${names.join(', ')}`,
    });
  }
}

/** A path is where one key goes. */
function checkFilePaths({ container, path }: Declared, report: Report): void {
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    for (const kind of ['configMap', 'secret'] as const) {
      const source = mount[kind];
      if (source?.path === undefined || source.key !== undefined) continue;
      report([...path, 'volumeMounts', index, kind, 'key'], {
        code: 'EN_COMPONENT_REQUIRED',
        message: 'is missing; a path says where one key goes, and no key is given',
        expected: 'the key, or no path',
      });
    }
  }
}
