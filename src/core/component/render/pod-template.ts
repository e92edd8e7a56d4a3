/** The pod template: containers, volumes, and settings of the pod itself. */
import type { Component } from '../../api/component/types.ts';
import type { PodSpec, PodTemplateSpec, Toleration } from '../../api/types/core-v1.ts';
import { containersOf } from '../containers-of.ts';
import { containerOf } from './containers.ts';
import { sharedSecretNames } from './env.ts';
import type { Findings } from './findings.ts';
import type { Identity } from './mode.ts';
import { present, unlessBare, unlessEmpty } from './present.ts';
import { affinityOf, spreadOf } from './scheduling.ts';
import { volumesOf } from './volumes.ts';

export interface TemplateContext {
  readonly identity: Identity;
  readonly findings: Findings;
  readonly annotations: { readonly [key: string]: string };
  readonly hasPullSecret: boolean;
}

export function podTemplate(component: Component, context: TemplateContext): PodTemplateSpec {
  const { identity, annotations } = context;
  const pod = component.spec.pod;
  const all = unlessBare({ ...pod?.annotations, ...annotations });
  return {
    metadata: {
      // A label that pods are selected by cannot be something else.
      labels: { ...pod?.labels, ...identity.labels },
      ...(all === undefined ? {} : { annotations: all }),
    } as NonNullable<PodTemplateSpec['metadata']>,
    spec: podSpec(component, context),
  };
}

function podSpec(component: Component, { identity, findings, hasPullSecret }: TemplateContext): PodSpec {
  const { spec } = component;
  const { pod } = spec;
  const scheduling = pod?.scheduling;
  const env = { identity, findings, shared: sharedSecretNames(component) };
  const declared = containersOf(component);
  const rendered = (isInit: boolean) =>
    declared.filter(({ role }) => (role === 'init') === isInit).map((each) => containerOf(each, env));
  return present<PodSpec>({
    serviceAccountName: identity.serviceAccount,
    automountServiceAccountToken: pod?.automountServiceAccountToken,
    priorityClassName: pod?.priorityClassName,
    runtimeClassName: pod?.runtimeClassName,
    hostNetwork: pod?.hostNetwork,
    hostPID: pod?.hostPid,
    hostIPC: pod?.hostIpc,
    hostUsers: pod?.hostUsers,
    shareProcessNamespace: pod?.shareProcessNamespace,
    enableServiceLinks: pod?.enableServiceLinks,
    // A pod in the node's network would otherwise not find the Services of the cluster.
    dnsPolicy: pod?.dnsPolicy ?? (pod?.hostNetwork === true ? 'ClusterFirstWithHostNet' : undefined),
    dnsConfig: pod?.dnsConfig,
    hostAliases: unlessEmpty(pod?.hostAliases),
    terminationGracePeriodSeconds: pod?.terminationGracePeriodSeconds,
    securityContext: pod?.securityContext,
    imagePullSecrets: unlessEmpty(pullSecrets(component, identity, hasPullSecret).map((name) => ({ name }))),
    nodeSelector: unlessBare(spec.nodeSelector ?? scheduling?.nodeSelector),
    tolerations: unlessEmpty((spec.tolerations ?? scheduling?.tolerations) as readonly Toleration[] | undefined),
    affinity: affinityOf(scheduling),
    topologySpreadConstraints: spreadOf(scheduling, identity),
    schedulerName: scheduling?.schedulerName,
    initContainers: unlessEmpty(rendered(true)),
    containers: rendered(false),
    volumes: unlessEmpty(volumesOf(component, identity.mode, findings)),
  });
}

/** Pull secrets that the manifest names, those that its images name, then the one that is rendered; each once. */
function pullSecrets(component: Component, { pullSecret }: Identity, hasPullSecret: boolean): readonly string[] {
  const named = (component.spec.pod?.imagePullSecrets ?? []).flatMap(({ value }) => value ?? []);
  const ofImages = containersOf(component).flatMap(({ container }) => container.image.pullSecretName ?? []);
  return [...new Set([...named, ...ofImages, ...(hasPullSecret ? [pullSecret] : [])])];
}
