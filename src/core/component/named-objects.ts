/** Secrets and ConfigMaps that pods name and that the component does not bring: a user has to create them. Pure. */
import type { DaemonSet } from '../api/types/apps-v1.ts';
import type { PodSpec } from '../api/types/core-v1.ts';
import type { KubeObject } from '../kube/objects.ts';

export interface NamedObject {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  /** Keys that must be in it. */
  readonly keys: readonly string[];
  /** A login of a registry: pods do not wait for the Secret, but images that need it are not pulled. */
  readonly isLogin: boolean;
}

type Mention = { readonly kind: NamedObject['kind']; readonly name: string | undefined } & {
  readonly keys?: readonly string[];
  readonly isLogin?: boolean;
  readonly optional?: boolean | undefined;
};

/** Each object once, by kind and name. Optional ones are left out: no pod waits for them. */
export function namedObjects(objects: readonly KubeObject[]): readonly NamedObject[] {
  const own = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  const found = new Map<string, { kind: NamedObject['kind']; name: string; keys: Set<string>; isLogin: boolean }>();
  for (const object of objects) {
    if (object.kind !== 'DaemonSet') continue;
    for (const { kind, name = '', keys = [], isLogin = false, optional } of mentionsIn(
      (object as DaemonSet).spec.template.spec ?? { containers: [] },
    )) {
      const id = `${kind} ${name}`;
      if (optional === true || name === '' || own.has(id)) continue;
      const known = found.get(id) ?? { kind, name, keys: new Set<string>(), isLogin: true };
      for (const key of keys) known.keys.add(key);
      known.isLogin &&= isLogin;
      found.set(id, known);
    }
  }
  return [...found.values()]
    .map(({ keys, ...rest }) => ({ ...rest, keys: [...keys].toSorted() }))
    .toSorted((a, b) => (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1));
}

const keysOf = (items: readonly { readonly key: string }[] | undefined): readonly string[] =>
  (items ?? []).map(({ key }) => key);

function* mentionsIn(spec: PodSpec): Generator<Mention> {
  const { containers, initContainers = [], volumes = [], imagePullSecrets = [] } = spec;
  for (const { secret, configMap, projected } of volumes) {
    if (secret !== undefined)
      yield { kind: 'Secret', name: secret.secretName, keys: keysOf(secret.items), optional: secret.optional };
    if (configMap !== undefined)
      yield { kind: 'ConfigMap', name: configMap.name, keys: keysOf(configMap.items), optional: configMap.optional };
    for (const source of projected?.sources ?? []) {
      const { secret: a, configMap: b } = source;
      if (a !== undefined) yield { kind: 'Secret', name: a.name, keys: keysOf(a.items), optional: a.optional };
      if (b !== undefined) yield { kind: 'ConfigMap', name: b.name, keys: keysOf(b.items), optional: b.optional };
    }
  }
  for (const { env = [], envFrom = [] } of [...containers, ...initContainers]) {
    for (const { valueFrom } of env) {
      const { secretKeyRef: a, configMapKeyRef: b } = valueFrom ?? {};
      if (a !== undefined) yield { kind: 'Secret', name: a.name, keys: [a.key], optional: a.optional };
      if (b !== undefined) yield { kind: 'ConfigMap', name: b.name, keys: [b.key], optional: b.optional };
    }
    for (const { secretRef: a, configMapRef: b } of envFrom) {
      if (a !== undefined) yield { kind: 'Secret', name: a.name, optional: a.optional };
      if (b !== undefined) yield { kind: 'ConfigMap', name: b.name, optional: b.optional };
    }
  }
  for (const { name } of imagePullSecrets) yield { kind: 'Secret', name, isLogin: true };
}
