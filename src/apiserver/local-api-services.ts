/** An APIService for every group and version that this server answers itself, as a kube-apiserver lists them. */
import type { APIService } from '../core/api/types/apiregistration-v1.ts';

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';

/** Which group clients prefer where two have a resource of one name: the numbers of Kubernetes. */
const GROUP_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['', 18_000],
  ['apps', 17_800],
  ['events.k8s.io', 17_750],
  ['authentication.k8s.io', 17_700],
  ['authorization.k8s.io', 17_600],
  ['autoscaling', 17_500],
  ['batch', 17_400],
  ['certificates.k8s.io', 17_300],
  ['networking.k8s.io', 17_200],
  ['policy', 17_100],
  ['rbac.authorization.k8s.io', 17_000],
  ['storage.k8s.io', 16_800],
  ['admissionregistration.k8s.io', 16_700],
  ['apiextensions.k8s.io', 16_700],
  ['scheduling.k8s.io', 16_600],
  ['coordination.k8s.io', 16_500],
  ['node.k8s.io', 16_300],
  ['discovery.k8s.io', 16_200],
  ['resource.k8s.io', 16_200],
  ['flowcontrol.apiserver.k8s.io', 16_100],
]);
const VERSION_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['v1.', 1],
  ['v2.autoscaling', 30],
  ['v1.flowcontrol.apiserver.k8s.io', 21],
  ['v1.resource.k8s.io', 21],
]);
const VERSION_PRIORITY = 15;
/** Kinds this product adds stand where custom ones do. */
const CUSTOM = { groupPriorityMinimum: 1000, versionPriority: 100 };
/** The group of APIServices: serves the others, and is not listed itself. */
const OWN_GROUP = 'apiregistration.k8s.io';

export function localApiServices(kinds: Iterable<GroupVersion>): readonly APIService[] {
  const served = new Map(
    [...kinds]
      .filter(({ group }) => group !== OWN_GROUP)
      .map(({ group, version }) => [`${version}.${group}`, { group, version }]),
  );
  return [...served]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { group, version }]) => {
      const groupPriorityMinimum = GROUP_PRIORITIES.get(group);
      const priorities =
        groupPriorityMinimum === undefined
          ? CUSTOM
          : { groupPriorityMinimum, versionPriority: VERSION_PRIORITIES.get(name) ?? VERSION_PRIORITY };
      return {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name, labels: { [AUTOMANAGED]: groupPriorityMinimum === undefined ? 'true' : 'onstart' } },
        spec: { ...(group === '' ? {} : { group }), version, ...priorities },
      };
    });
}
