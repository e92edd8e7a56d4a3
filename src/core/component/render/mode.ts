/**
 * Names and labels of objects, in the two modes. *Safe* is for new daemons: objects of two components can never
 * collide. *Compatible* takes over objects of the existing tool: a DaemonSet's selector can never change, so it, and
 * every name, is as that tool has it.
 */
import { DEFAULTS } from '../../api/component/defaults.ts';
import { COMPONENT_KIND } from '../../api/component/generations.ts';
import type { Component } from '../../api/component/types.ts';

export type Mode = 'safe' | 'compatible';
export const MODES: readonly Mode[] = ['safe', 'compatible'];

type Labels = { readonly [key: string]: string };

/** Names and labels that follow from name, namespace and mode alone. */
export interface Identity {
  readonly mode: Mode;
  readonly name: string;
  readonly namespace: string;
  /** On every object. */
  readonly labels: Labels;
  readonly selector: Labels;
  readonly containerName: string;
  readonly envSecret: string;
  readonly pullSecret: string;
  /** Cluster roles have no namespace of their own, so in safe mode it is part of their name. */
  readonly clusterRole: string;
  readonly role: string;
  /** Service account of the pods, where the manifest names one. */
  readonly serviceAccount: string | undefined;
}

export const LABELS = {
  app: 'app',
  resource: 'planton.ai/resource',
  name: 'planton.ai/name',
  kind: 'planton.ai/kind',
  id: 'planton.ai/id',
  organization: 'planton.ai/organization',
  environment: 'planton.ai/environment',
  managedBy: 'app.kubernetes.io/managed-by',
  instance: 'app.kubernetes.io/instance',
} as const;

/** The label of `kubectl logs -l app=daemonset`. */
const APP = 'daemonset';

export function identityOf({ metadata, spec }: Component, mode: Mode): Identity {
  const { name } = metadata;
  const namespace = spec.namespace.value ?? '';
  const isSafe = mode === 'safe';
  return {
    mode,
    name,
    namespace,
    labels: {
      [LABELS.app]: APP,
      ...(isSafe ? { [LABELS.instance]: name, [LABELS.managedBy]: 'everynode' } : {}),
      ...(metadata.env === undefined ? {} : { [LABELS.environment]: metadata.env }),
      ...(metadata.id === undefined ? {} : { [LABELS.id]: metadata.id }),
      [LABELS.kind]: COMPONENT_KIND,
      [LABELS.name]: name,
      ...(metadata.org === undefined ? {} : { [LABELS.organization]: metadata.org }),
      [LABELS.resource]: 'true',
    },
    selector: isSafe ? { [LABELS.kind]: COMPONENT_KIND, [LABELS.name]: name } : { [LABELS.app]: APP },
    containerName: spec.container.app.name ?? (isSafe ? DEFAULTS.containerName : DEFAULTS.compatibleContainerName),
    envSecret: `${name}-env-secrets`,
    pullSecret: `${name}-image-pull-secret`,
    clusterRole: isSafe ? `${namespace}:${name}` : name,
    role: name,
    serviceAccount: accountOf(spec, name),
  };
}

function accountOf(spec: Component['spec'], name: string): string | undefined {
  const said = spec.serviceAccountName ?? spec.pod?.serviceAccount?.value;
  return said ?? (spec.createServiceAccount === true ? name : undefined);
}
