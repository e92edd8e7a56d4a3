/** The places of a component where a reference may stand, and the default meaning of a reference there. */
import { SecretText } from '../../api/component/secret-text.ts';
import type { Component, Reference } from '../../api/component/types.ts';
import { setOwn } from '../../kube/immutable.ts';
import { containersOf } from '../containers-of.ts';
import type { PathStep } from '../trace.ts';

export interface Place {
  /** Of the object that holds `valueFrom`. */
  readonly path: readonly PathStep[];
  readonly reference: Reference;
  readonly kind: string;
  readonly fieldPath: string | undefined;
}

/** Kind and field that are meant where a reference names neither. */
const DEFAULTS = {
  namespace: { kind: 'KubernetesNamespace', fieldPath: 'spec.name' },
  account: { kind: 'KubernetesServiceAccount', fieldPath: 'status.outputs.service_account_name' },
  pullSecret: { kind: 'KubernetesSecret', fieldPath: 'spec.name' },
  variable: { kind: 'KubernetesDaemonSet', fieldPath: undefined },
} as const;

export function referencesIn(component: Component): readonly Place[] {
  const { spec } = component;
  const places: Place[] = [];
  const add = (
    path: readonly PathStep[],
    field: { readonly valueFrom?: Reference } | undefined,
    defaults: (typeof DEFAULTS)[keyof typeof DEFAULTS],
  ): void => {
    const reference = field?.valueFrom;
    if (reference === undefined) return;
    const { kind = defaults.kind, fieldPath = defaults.fieldPath } = reference;
    places.push({ path, reference, kind, fieldPath });
  };
  add(['spec', 'namespace'], spec.namespace, DEFAULTS.namespace);
  add(['spec', 'pod', 'serviceAccount'], spec.pod?.serviceAccount, DEFAULTS.account);
  for (const [index, secret] of (spec.pod?.imagePullSecrets ?? []).entries()) {
    add(['spec', 'pod', 'imagePullSecrets', index], secret, DEFAULTS.pullSecret);
  }
  for (const { container, path } of containersOf(component)) {
    for (const list of ['variables', 'secrets'] as const) {
      for (const [index, variable] of (container.env?.[list] ?? []).entries()) {
        add([...path, 'env', list, index], variable, DEFAULTS.variable);
      }
    }
  }
  return places;
}

/** The component with texts in the places of references, by path. A place without a text keeps its reference. */
export function withTexts(component: Component, texts: ReadonlyMap<string, string>): Component {
  let changed: unknown = component;
  for (const [path, text] of texts) changed = withText(changed, path.split('\n'), text, false);
  return changed as Component;
}

function withText(value: unknown, path: readonly string[], text: string, isSecret: boolean): unknown {
  const [step, ...rest] = path;
  if (step === undefined) {
    const { valueFrom: _, ...others } = value as { readonly valueFrom?: unknown };
    return { ...others, value: isSecret ? SecretText.literal(text) : text };
  }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.with(Number(step), withText(items[Number(step)], rest, text, isSecret));
  }
  const copy: { [key: string]: unknown } = {};
  for (const [key, member] of Object.entries(value as object)) {
    setOwn(copy, key, key === step ? withText(member, rest, text, isSecret || step === 'secrets') : member);
  }
  return copy;
}
