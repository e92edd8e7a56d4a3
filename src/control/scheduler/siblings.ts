/**
 * Which pods are a pod's siblings: those its Services and its ReplicaSet (or StatefulSet, or ReplicationController)
 * select. Pods that say nothing about spreading are spread among them.
 */
import { REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICES, STATEFUL_SETS } from '../../core/api/registry/resources.ts';
import type { Pod, Service } from '../../core/api/types/core-v1.ts';
import { compileLabelSelector } from '../../core/kube/label-selector.ts';
import { labelOf, type Labels } from '../../core/kube/labels.ts';
import type { LabelSelector } from '../../core/kube/meta-v1.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import { type Requirement, type Selector, SelectorError, selectorOf } from '../../core/kube/selector.ts';
import { podNamespace } from '../../core/placement/pod-record.ts';
import type { Informers } from '../../machinery/cache/informers.ts';

/** The selector of a pod's siblings; `undefined` for pods without any. */
export type Siblings = (pod: Pod) => Selector | undefined;

export function createSiblings(informers: Informers): Siblings {
  const services = informers.for(SERVICES);
  const owners = new Map([
    ['v1/ReplicationController', selectorReader(informers, REPLICATION_CONTROLLERS)],
    ['apps/v1/ReplicaSet', selectorReader(informers, REPLICA_SETS)],
    ['apps/v1/StatefulSet', selectorReader(informers, STATEFUL_SETS)],
  ]);
  let remembered:
    | {
        readonly labels: Labels | undefined;
        readonly owner: string;
        readonly key: string;
        readonly answer: Selector | undefined;
      }
    | undefined;
  let version = 0;
  const changed = { batch: () => void version++ };
  services.addHandler(changed);

  return (pod) => {
    const namespace = podNamespace(pod);
    const { labels } = pod.metadata;
    const owner = controllerOf(pod);
    const ownerKey = owner === undefined ? '' : `${owner.apiVersion}/${owner.kind}/${owner.name}`;
    const ownSelector =
      owner === undefined ? undefined : owners.get(`${owner.apiVersion}/${owner.kind}`)?.(owner.name, namespace);
    const key = `${version}/${namespace}`;
    // Pods of one template come one after the other.
    if (
      remembered !== undefined &&
      remembered.labels === labels &&
      remembered.owner === ownerKey &&
      remembered.key === key &&
      ownSelector === undefined
    ) {
      return remembered.answer;
    }
    const requirements: Requirement[] = [];
    for (const service of services.lister.list(namespace)) {
      const { selector } = service.spec ?? {};
      if (selector === undefined || !selects(service, labels)) continue;
      for (const [name, value] of Object.entries(selector)) {
        requirements.push({ key: name, operator: '=', values: [value] });
      }
    }
    if (ownSelector !== undefined) requirements.push(...ownSelector.requirements);
    const answer = requirements.length === 0 ? undefined : selectorOf(requirements);
    remembered = { labels, owner: ownerKey, key, answer };
    return answer;
  };
}

function selects({ spec }: Service, labels: Labels | undefined): boolean {
  const pairs = Object.entries(spec?.selector ?? {});
  return pairs.length > 0 && pairs.every(([name, value]) => labelOf(labels, name) === value);
}

type Owner = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pod['metadata'];
  readonly spec?: { readonly selector?: LabelSelector | { readonly [key: string]: string } };
};

function selectorReader(
  informers: Informers,
  resource: Parameters<Informers['for']>[0],
): (name: string, namespace: string) => Selector | undefined {
  const { lister } = informers.for(resource);
  return (name, namespace) => {
    const written = (lister.get(name, namespace) as Owner | undefined)?.spec?.selector;
    if (written === undefined) return undefined;
    const isPlain = !('matchLabels' in written) && !('matchExpressions' in written);
    try {
      return compileLabelSelector((isPlain ? { matchLabels: written } : written) as LabelSelector);
    } catch (error) {
      if (error instanceof SelectorError) return undefined;
      throw error;
    }
  };
}
