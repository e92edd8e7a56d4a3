/**
 * A component into the objects it stands for, in the order they are applied. Pure: the same component, mode and
 * credentials always give the same bytes.
 */
import { SecretText } from '../../api/component/secret-text.ts';
import type { Component } from '../../api/component/types.ts';
import type { DaemonSet, DaemonSetSpec } from '../../api/types/apps-v1.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { ComponentError } from '../errors.ts';
import { checksumAnnotations } from './checksums.ts';
import { dockerConfigOf } from './docker-config.ts';
import { literalSecrets } from './env.ts';
import type { Finding, Findings } from './findings.ts';
import { identityOf, type Identity, type Mode } from './mode.ts';
import {
  configMapsOf,
  metaOf,
  namespaceOf,
  rbacOf,
  type RenderedObject,
  type RenderedSecret,
  secretsOf,
  serviceAccountOf,
} from './objects.ts';
import { podTemplate } from './pod-template.ts';
import { present } from './present.ts';
import { strategyOf } from './strategy.ts';

export interface RenderOptions {
  readonly mode?: Mode;
  /** Registry logins from outside the manifest: the text of a Docker configuration. */
  readonly dockerConfig?: SecretText;
}

export interface Rendered {
  readonly identity: Identity;
  /** In the order they are applied. Values of Secrets are masked however they are printed. */
  readonly objects: readonly RenderedObject[];
  readonly daemonSet: DaemonSet;
  /** Problems that kept parts of the component from being rendered. */
  readonly findings: readonly Finding[];
}

export function renderComponent(component: Component, options: RenderOptions = {}): Rendered {
  const identity = identityOf(component, options.mode ?? 'safe');
  const findings: Findings = [];
  const dockerConfig = dockerConfigOf(component, options.dockerConfig, findings);
  const configMaps = configMapsOf(component, identity);
  const secrets = secretsOf(identity, literalSecrets(component), dockerConfig);
  const context = { identity, findings, annotations: {}, hasPullSecret: dockerConfig !== undefined };
  const plain = podTemplate(component, context);
  const annotations = checksumAnnotations(plain.spec ?? { containers: [] }, configMaps, secrets);
  const template =
    Object.keys(annotations).length === 0
      ? plain
      : { ...plain, metadata: { ...plain.metadata, annotations: { ...plain.metadata?.annotations, ...annotations } } };
  const { spec } = component;
  const daemonSet: DaemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: metaOf(identity, identity.name),
    spec: present<DaemonSetSpec>({
      selector: { matchLabels: identity.selector },
      updateStrategy: strategyOf(spec),
      minReadySeconds: spec.minReadySeconds,
      revisionHistoryLimit: spec.revisionHistoryLimit,
      template: template as DaemonSetSpec['template'],
    }),
  };
  const rbac = rbacOf(component, identity, findings);
  checkReferences(component, findings);
  return {
    identity,
    objects: [
      ...namespaceOf(component, identity),
      ...serviceAccountOf(component, identity),
      ...rbac,
      ...configMaps,
      ...secrets,
      daemonSet,
    ],
    daemonSet,
    findings,
  };
}

/** References that were never resolved: their values are unknown, so nothing can be rendered of them. */
function checkReferences({ spec }: Component, findings: Findings): void {
  const check = (path: readonly (string | number)[], field: { readonly valueFrom?: unknown } | undefined): void => {
    if (field?.valueFrom === undefined) return;
    findings.push({ path, fault: { code: 'EN_COMPONENT_REFERENCE', message: 'the reference is not resolved' } });
  };
  check(['spec', 'namespace'], spec.namespace);
  check(['spec', 'pod', 'serviceAccount'], spec.pod?.serviceAccount);
  for (const [index, secret] of (spec.pod?.imagePullSecrets ?? []).entries()) {
    check(['spec', 'pod', 'imagePullSecrets', index], secret);
  }
}

const isRenderedSecret = (object: RenderedObject): object is RenderedSecret =>
  object.kind === 'Secret' && 'data' in object;

/**
 * Plain objects, values of Secrets in base64: for the API server only. Throws `ComponentError` while a value is not
 * known.
 */
export function revealed(objects: readonly RenderedObject[]): readonly KubeObject[] {
  return objects.map((object) => {
    if (!isRenderedSecret(object)) return object;
    const data = Object.fromEntries(
      Object.entries(object.data).map(([key, value]) => [key, base64(value, key)] as const),
    );
    return { ...object, data } as KubeObject;
  });
}

function base64(value: SecretText, key: string): string {
  const text = value.reveal();
  if (text === undefined) {
    throw new ComponentError(
      'EN_COMPONENT_SECRET_UNRESOLVED',
      `the value of ${key} (${value.describe()}) was not looked up`,
    );
  }
  return Buffer.from(text, 'utf8').toString('base64');
}

/** The input of `apply/`: the component's identity, and its objects with their secrets. */
export const toApply = ({ identity: { name, namespace }, objects }: Rendered) => ({
  identity: { name, namespace },
  objects: revealed(objects),
});
