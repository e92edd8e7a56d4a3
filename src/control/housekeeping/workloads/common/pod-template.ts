/** Pods as controllers make them from templates: all pods of one template share everything but their names. */
import type { Pod, PodSpec, PodTemplateSpec } from '../../../../core/api/types/core-v1.ts';
import type { Labels } from '../../../../core/kube/labels.ts';
import type { ObjectMeta } from '../../../../core/kube/meta-v1.ts';
import { nameIsDnsSubdomain } from '../../../../core/kube/names.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { controllerReference } from '../../../../core/kube/owner-references.ts';

export const EMPTY_SPEC: PodSpec = Object.freeze({ containers: Object.freeze([]) });

/** The prefix of generated pod names. */
export function podPrefix(ownerName: string): string {
  const prefix = `${ownerName}-`;
  return nameIsDnsSubdomain(prefix, true).length === 0 ? prefix : ownerName;
}

export interface MoreMeta {
  readonly generateName?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly finalizers?: readonly string[];
}

/** The metadata that the owner's pods share. @param owner with kind and apiVersion (`withType`). */
export function sharedMeta(
  owner: Stored,
  template: PodTemplateSpec | undefined,
  more: MoreMeta = {},
): Omit<ObjectMeta, 'name'> {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const { namespace } = owner.metadata;
  const allAnnotations = more.annotations === undefined ? annotations : { ...annotations, ...more.annotations };
  const allFinalizers = more.finalizers === undefined ? finalizers : [...(finalizers ?? []), ...more.finalizers];
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(more.generateName === undefined ? {} : { generateName: more.generateName }),
    labels: more.labels === undefined ? (labels ?? {}) : { ...labels, ...more.labels },
    ...(allAnnotations === undefined ? {} : { annotations: allAnnotations }),
    ...(allFinalizers === undefined ? {} : { finalizers: allFinalizers }),
    ownerReferences: [controllerReference(owner)],
  };
}

export const podOf = (name: string, shared: Omit<ObjectMeta, 'name'>, spec: PodSpec): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...shared },
  spec,
});
