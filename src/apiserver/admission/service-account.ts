/**
 * Every pod runs as a service account and finds its token where Kubernetes puts it. The volume's name ends in five
 * characters derived from the containers, not in random ones, so that all pods of a template keep sharing them.
 */
import { subtreeMemo } from '../../core/api/rules/memo.ts';
import type { Container, Pod, PodSpec, ServiceAccount, Volume, VolumeMount } from '../../core/api/types/core-v1.ts';
import { pathSegmentNameProblems } from '../../core/kube/names.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../machinery/ports/admission.ts';
import type { Store } from '../store/store.ts';
import { forbid } from './forbid.ts';

const TOKEN_MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const TOKEN_VOLUME_PREFIX = 'kube-api-access-';
const DEFAULT_ACCOUNT = 'default';
const MIRROR_POD = 'kubernetes.io/config.mirror';
const TOKEN_SECONDS = 3607;
const ALLOWED: AdmissionResponse = { allowed: true };

export interface ServiceAccountOptions {
  /** Mount the token; off where no pod ever runs for real and memory matters more. */
  readonly mountToken?: boolean;
}

export function createServiceAccountAdmission(store: Store, options: ServiceAccountOptions = {}): AdmissionPlugin {
  const mountToken = options.mountToken ?? true;
  const mounted = createTokenMounter();
  return {
    name: 'ServiceAccount',
    handles: ({ operation, resource, subresource }) =>
      operation === 'CREATE' && subresource === '' && resource.group === '' && resource.resource === 'pods',
    mutate(request) {
      const pod = request.object as Pod;
      const { spec } = pod;
      if (spec === undefined) return ALLOWED;
      if (pod.metadata?.annotations?.[MIRROR_POD] !== undefined) return mirrorPod(request, spec);
      const name = spec.serviceAccountName || DEFAULT_ACCOUNT;
      const account: Stored<ServiceAccount> | undefined = store.accepted({
        tenant: request.tenant,
        group: '',
        resource: 'serviceaccounts',
        namespace: request.namespace,
        name,
      });
      // The default account is made by a controller soon after its namespace: pods need not wait for it.
      if (account === undefined && name !== DEFAULT_ACCOUNT) {
        const wrong = pathSegmentNameProblems(name);
        const why =
          wrong.length > 0
            ? `invalid resource name ${JSON.stringify(name)}: [${wrong.join(' ')}]`
            : `serviceaccount ${JSON.stringify(name)} not found`;
        return forbid(request, `error looking up service account ${request.namespace}/${name}: ${why}`);
      }
      const automount = spec.automountServiceAccountToken ?? account?.automountServiceAccountToken ?? true;
      const withToken = mountToken && automount ? mounted(spec) : spec;
      const pullSecrets = account?.imagePullSecrets ?? [];
      const addSecrets = pullSecrets.length > 0 && (spec.imagePullSecrets?.length ?? 0) === 0;
      if (withToken === spec && spec.serviceAccountName === name && spec.serviceAccount === name && !addSecrets) {
        return ALLOWED;
      }
      const completed: PodSpec = {
        ...withToken,
        serviceAccountName: name,
        serviceAccount: name,
        ...(addSecrets ? { imagePullSecrets: pullSecrets } : {}),
      };
      const object: Pod = { ...pod, spec: completed };
      return { allowed: true, object };
    },
  };
}

function mirrorPod(request: AdmissionRequest, spec: PodSpec): AdmissionResponse {
  if (spec.serviceAccountName) return forbid(request, 'a mirror pod may not reference service accounts');
  return ALLOWED;
}

interface Mounted {
  readonly initContainers: readonly Container[] | undefined;
  readonly volumes: readonly Volume[] | undefined;
  readonly result: Pick<PodSpec, 'containers' | 'initContainers' | 'volumes'>;
}

/** The spec with the token in every container; parts seen before give the very same parts again. */
function createTokenMounter(): (spec: PodSpec) => PodSpec {
  const memo = subtreeMemo<readonly Container[], Mounted>();
  return (spec) => {
    const { containers, initContainers, volumes } = spec;
    if (containers === undefined) return spec;
    const known = memo.get(containers);
    if (known !== undefined && known.initContainers === initContainers && known.volumes === volumes) {
      return { ...spec, ...known.result };
    }
    const result = mount(containers, initContainers, volumes);
    memo.offer(containers, { initContainers, volumes, result });
    return { ...spec, ...result };
  };
}

function mount(
  containers: readonly Container[],
  initContainers: readonly Container[] | undefined,
  volumes: readonly Volume[] | undefined,
): Mounted['result'] {
  const present = volumes?.find((volume) => volume.name.startsWith(TOKEN_VOLUME_PREFIX))?.name;
  const name = present ?? TOKEN_VOLUME_PREFIX + derivedSuffix(containers, initContainers ?? []);
  const volumeMount: VolumeMount = { name, readOnly: true, mountPath: TOKEN_MOUNT_PATH };
  const mountedContainers = withMount(containers, volumeMount);
  const mountedInit = initContainers === undefined ? undefined : withMount(initContainers, volumeMount);
  const needed = mountedContainers !== containers || mountedInit !== initContainers;
  return {
    containers: mountedContainers,
    ...(mountedInit === undefined ? {} : { initContainers: mountedInit }),
    ...(needed && present === undefined
      ? { volumes: [...(volumes ?? []), { name, projected: TOKEN_SOURCE }] }
      : volumes === undefined
        ? {}
        : { volumes }),
  };
}

function withMount(containers: readonly Container[], volumeMount: VolumeMount): readonly Container[] {
  let changed = false;
  const result = containers.map((container) => {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some((existing) => existing.mountPath === TOKEN_MOUNT_PATH)) return container;
    changed = true;
    return { ...container, volumeMounts: [...mounts, volumeMount] };
  });
  return changed ? result : containers;
}

/** Letters and digits that Kubernetes uses in generated names. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** FNV-1a over names and images: what distinguishes one template from another for a reader. */
function derivedSuffix(containers: readonly Container[], initContainers: readonly Container[]): string {
  let hash = 0x811c9dc5;
  const add = (text: string): void => {
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash = Math.imul(hash ^ 0xff, 0x01000193);
  };
  for (const container of containers) {
    add(container.name);
    add(container.image ?? '');
  }
  for (const container of initContainers) add(container.name);
  let rest = hash >>> 0;
  let suffix = '';
  for (let at = 0; at < 5; at++) {
    suffix += ALPHABET[rest % ALPHABET.length];
    rest = Math.floor(rest / ALPHABET.length);
  }
  return suffix;
}

const TOKEN_SOURCE: NonNullable<Volume['projected']> = Object.freeze({
  sources: Object.freeze([
    Object.freeze({
      serviceAccountToken: Object.freeze({ expirationSeconds: TOKEN_SECONDS, path: 'token' }),
    }),
    Object.freeze({
      configMap: Object.freeze({
        name: 'kube-root-ca.crt',
        items: Object.freeze([Object.freeze({ key: 'ca.crt', path: 'ca.crt' })]),
      }),
    }),
    Object.freeze({
      downwardAPI: Object.freeze({
        items: Object.freeze([
          Object.freeze({
            path: 'namespace',
            fieldRef: Object.freeze({ apiVersion: 'v1', fieldPath: 'metadata.namespace' }),
          }),
        ]),
      }),
    }),
  ]),
  defaultMode: 420,
});
