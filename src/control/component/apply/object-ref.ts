/** Objects by name: how plans, inventories and messages refer to them, and which resource of the API they belong to. */
import * as RESOURCES from '../../../core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../../core/api/types/apiextensions-v1.ts';
import { apiVersionOf, type KubeObject, type ObjectKey, type Resource } from '../../../core/kube/objects.ts';
import { ComponentApplyError } from './errors.ts';

export interface ObjectRef {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** One text for one object, whatever version it is written in. */
export const refKey = ({ group, resource, namespace, name }: ObjectRef): string =>
  `${group}/${resource}/${namespace}/${name}`;

/** `DaemonSet logging/agent`, as messages name it. */
export const refText = ({ kind, namespace, name }: ObjectRef): string =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;

export const resourceOf = ({ group, version, resource, kind, namespace }: ObjectRef): Resource => ({
  group,
  version,
  resource,
  kind,
  namespaced: namespace !== '',
});

export const keyOfRef = ({ namespace, name }: ObjectRef): ObjectKey =>
  namespace === '' ? { name } : { namespace, name };

export const refOf = (resource: Resource, namespace: string, name: string): ObjectRef => ({
  group: resource.group,
  version: resource.version,
  resource: resource.resource,
  kind: resource.kind,
  namespace: resource.namespaced ? namespace : '',
  name,
});

export const isKind = (ref: ObjectRef, { group, resource }: Resource): boolean =>
  ref.group === group && ref.resource === resource;

export const isCustomResourceDefinition = (object: KubeObject): object is CustomResourceDefinition =>
  object.kind === 'CustomResourceDefinition' && object.apiVersion.startsWith('apiextensions.k8s.io/');

const BUILT_IN: ReadonlyMap<string, Resource> = new Map(
  (Object.values(RESOURCES) as Resource[]).map((resource) => [`${apiVersionOf(resource)} ${resource.kind}`, resource]),
);

/** Every built-in resource whose objects live in namespaces. */
export const NAMESPACED: readonly Resource[] = [...BUILT_IN.values()].filter(({ namespaced }) => namespaced);

export type ResourceFinder = (object: Pick<KubeObject, 'apiVersion' | 'kind'>) => Resource;

/** Finds resources of built-in kinds, of kinds the objects themselves define, and of those that are named. */
export function resourceFinder(objects: readonly KubeObject[], more: readonly Resource[] = []): ResourceFinder {
  const known = new Map<string, Resource>();
  for (const resource of [...objects.filter(isCustomResourceDefinition).flatMap(definedBy), ...more])
    known.set(`${apiVersionOf(resource)} ${resource.kind}`, resource);
  return ({ apiVersion, kind }) => {
    const text = `${apiVersion} ${kind}`;
    const resource = known.get(text) ?? BUILT_IN.get(text);
    if (resource === undefined)
      throw new ComponentApplyError(
        'EN_COMPONENT_APPLY_UNKNOWN_KIND',
        `nothing is known of ${kind} in ${apiVersion}: neither built in nor defined by the component`,
      );
    return resource;
  };
}

export const definedBy = ({ spec }: CustomResourceDefinition): readonly Resource[] =>
  spec.versions.map((version) => ({
    group: spec.group,
    version: version.name,
    resource: spec.names.plural,
    kind: spec.names.kind,
    namespaced: spec.scope === 'Namespaced',
  }));

/** Without versions that are only stored, not served. */
export const servedBy = (definition: CustomResourceDefinition): readonly Resource[] => {
  const served = new Set(definition.spec.versions.filter((version) => version.served).map(({ name }) => name));
  return definedBy(definition).filter(({ version }) => served.has(version));
};
