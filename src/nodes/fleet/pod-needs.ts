/**
 * Secrets and ConfigMaps a pod cannot start without, and what a kubelet says where one or a key of it is missing: volumes keep the
 * whole pod from starting (FailedMount), variables only their container (CreateContainerConfigError). Pure. What is
 * optional, logins of registries and volumes that no container mounts keep nothing waiting.
 */
import type { Container, PodSpec, Volume } from '../../core/api/types/core-v1.ts';

export type NeedKind = 'Secret' | 'ConfigMap';

interface Need {
  readonly kind: NeedKind;
  readonly name: string;
  /** Keys that must be in the object. */
  readonly keys: readonly string[];
}

export interface PodNeeds {
  readonly volumes: readonly { readonly name: string; readonly needs: readonly Need[] }[];
  /** By name of the container, in the kubelet's order: `envFrom` first. */
  readonly containers: ReadonlyMap<string, readonly Need[]>;
  /** Every needed object once. */
  readonly objects: readonly Omit<Need, 'keys'>[];
}

/** Missing objects and keys, in the kubelet's words. One record for all pods of a template and namespace. */
export interface Lacking {
  /** One message for each volume that cannot be mounted. */
  readonly mounts: readonly string[];
  /** By name of the container that cannot be created. */
  readonly containers: ReadonlyMap<string, string>;
}

/** The keys of an object, or undefined where there is none of that name. */
export type KeysOf = (kind: NeedKind, name: string) => ReadonlySet<string> | undefined;

/**
 * Published into every namespace by a controller that need not run here; the token volume of every pod names this
 * ConfigMap.
 */
const ROOT_CA = 'kube-root-ca.crt';

interface Known {
  readonly volumes: PodSpec['volumes'];
  readonly init: PodSpec['initContainers'];
  readonly needs: PodNeeds | undefined;
}

const known = new WeakMap<readonly Container[], Known>();

/** Undefined for most pods. Pods of one template share their containers, and so the answer. */
export function needsOf({ containers, initContainers, volumes }: PodSpec): PodNeeds | undefined {
  const before = known.get(containers);
  if (before !== undefined && before.volumes === volumes && before.init === initContainers) return before.needs;
  const needs = read(containers, initContainers ?? [], volumes ?? []);
  known.set(containers, { volumes, init: initContainers, needs });
  return needs;
}

function read(
  containers: readonly Container[],
  init: readonly Container[],
  volumes: readonly Volume[],
): PodNeeds | undefined {
  const all = [...init, ...containers];
  const mounted = new Set(all.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)));
  const ofVolumes = volumes
    .filter(({ name }) => mounted.has(name))
    .map((volume) => ({ name: volume.name, needs: [...volumeNeeds(volume)] }))
    .filter(({ needs }) => needs.length > 0);
  const ofContainers = new Map(
    all.flatMap((container) => {
      const needs = [...containerNeeds(container)];
      return needs.length === 0 ? [] : [[container.name, needs] as const];
    }),
  );
  if (ofVolumes.length === 0 && ofContainers.size === 0) return undefined;
  const objects = new Map<string, Omit<Need, 'keys'>>();
  for (const { kind, name } of [...ofVolumes.flatMap(({ needs }) => needs), ...[...ofContainers.values()].flat()])
    objects.set(`${kind}/${name}`, { kind, name });
  return { volumes: ofVolumes, containers: ofContainers, objects: [...objects.values()] };
}

interface Mention {
  readonly optional?: boolean | undefined;
  readonly items?: readonly { readonly key: string }[] | undefined;
}

function* volumeNeeds({ secret, configMap, projected }: Volume): Generator<Need> {
  if (secret !== undefined) yield* needed('Secret', secret.secretName, secret);
  if (configMap !== undefined) yield* needed('ConfigMap', configMap.name, configMap);
  for (const source of projected?.sources ?? []) {
    if (source.secret !== undefined) yield* needed('Secret', source.secret.name, source.secret);
    if (source.configMap !== undefined) yield* needed('ConfigMap', source.configMap.name, source.configMap);
  }
}

function* containerNeeds({ env = [], envFrom = [] }: Container): Generator<Need> {
  for (const { secretRef, configMapRef } of envFrom) {
    if (configMapRef !== undefined) yield* needed('ConfigMap', configMapRef.name, configMapRef);
    if (secretRef !== undefined) yield* needed('Secret', secretRef.name, secretRef);
  }
  for (const { valueFrom } of env) {
    const { secretKeyRef: secret, configMapKeyRef: map } = valueFrom ?? {};
    if (map !== undefined) yield* needed('ConfigMap', map.name, { optional: map.optional, items: [map] });
    if (secret !== undefined) yield* needed('Secret', secret.name, { optional: secret.optional, items: [secret] });
  }
}

function* needed(kind: NeedKind, name: string | undefined, { optional, items = [] }: Mention): Generator<Need> {
  if (optional === true || name === undefined || name === '' || name === ROOT_CA) return;
  yield { kind, name, keys: items.map(({ key }) => key) };
}

/** Undefined where nothing is missing. */
export function lackingOf(needs: PodNeeds, namespace: string, keysOf: KeysOf): Lacking | undefined {
  const mounts = needs.volumes.flatMap(({ name, needs: sources }) => {
    const faults = sources.flatMap((need) => mountFault(need, keysOf) ?? []);
    const [only = ''] = faults;
    const text = faults.length === 1 ? only : `[${faults.join(', ')}]`;
    return faults.length === 0 ? [] : [`MountVolume.SetUp failed for volume ${JSON.stringify(name)} : ${text}`];
  });
  const containers = new Map<string, string>();
  for (const [name, wanted] of needs.containers) {
    for (const need of wanted) {
      const fault = containerFault(need, namespace, keysOf);
      if (fault === undefined) continue;
      containers.set(name, fault);
      break;
    }
  }
  return mounts.length === 0 && containers.size === 0 ? undefined : { mounts, containers };
}

const notFound = ({ kind, name }: Need): string => `${kind.toLowerCase()} ${JSON.stringify(name)} not found`;

function mountFault(need: Need, keysOf: KeysOf): string | undefined {
  const keys = keysOf(need.kind, need.name);
  if (keys === undefined) return notFound(need);
  const missing = need.keys.find((key) => !keys.has(key));
  if (missing === undefined) return undefined;
  return need.kind === 'Secret'
    ? `references non-existent secret key: ${missing}`
    : `configmap references non-existent config key: ${missing}`;
}

function containerFault(need: Need, namespace: string, keysOf: KeysOf): string | undefined {
  const keys = keysOf(need.kind, need.name);
  if (keys === undefined) return notFound(need);
  const missing = need.keys.find((key) => !keys.has(key));
  return missing === undefined ? undefined : `couldn't find key ${missing} in ${need.kind} ${namespace}/${need.name}`;
}
