/** Volumes: one source each, well formed. The order of sources is the order in which Kubernetes looks at them. */
import { duplicate, field, forbidden, invalid, notSupported, required, tooLong } from '../../../kube/field-errors.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems, nameIsDnsSubdomain } from '../../../kube/names.ts';
import { exceedsBytes } from '../../../kube/go-text.ts';
import type { CSIVolumeSource, HostPathVolumeSource, ImageVolumeSource, Volume } from '../../types/core-v1.ts';
import { isNegative } from '../../rules/amounts.ts';
import type { Findings } from '../../rules/findings.ts';
import { addTexts } from '../../rules/findings.ts';
import { validateNoBacksteps } from '../../rules/paths.ts';
import { validateClaimTemplate } from './validate-claim.ts';
import { validateDownwardApi } from './validate-downward-api.ts';
import { validateProjected } from './validate-projected.ts';
import type { VolumeContext, VolumeRule } from './volume-files.ts';
import { validateFileMode, validateItems, validatePullPolicy } from './volume-files.ts';
import { REMOVED_VOLUME_RULES, validateInitiatorLength } from './validate-removed-volumes.ts';

/** Well-formed volumes by name, which mounts may refer to. */
export type VolumesByName = ReadonlyMap<string, Volume>;
const NO_VOLUMES: VolumesByName = new Map();

export function validateVolumes(
  found: Findings,
  volumes: readonly Volume[] | undefined,
  context: VolumeContext,
  path: string,
): VolumesByName {
  if (volumes === undefined || volumes.length === 0) return NO_VOLUMES;
  const fine = new Map<string, Volume>();
  const claims = claimsToCreate(volumes, context.podMeta?.name);
  for (let index = 0; index < volumes.length; index++) {
    const volume = volumes[index] as Volume;
    const at = field.index(path, index);
    const before = found.length;
    const name = volume.name ?? '';
    validateSource(found, volume, at, context);
    if (name === '') found.push(required(`${at}.name`, ''));
    else addTexts(found, `${at}.name`, name, dns1123LabelProblems(name));
    if (fine.has(name)) found.push(duplicate(`${at}.name`, name));
    if (found.length === before) fine.set(name, volume);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && claims?.has(claim)) {
      const text = 'must not reference a PVC that gets created for an ephemeral volume';
      found.push(invalid(`${at}.persistentVolumeClaim.claimName`, claim, text));
    }
  }
  return fine;
}

/** Names of the claims that will be made for this pod; known only once the pod has a name. */
function claimsToCreate(volumes: readonly Volume[], podName: string | undefined): ReadonlySet<string> | undefined {
  if (!podName) return undefined;
  let names: Set<string> | undefined;
  for (const { ephemeral, name } of volumes)
    if (ephemeral !== undefined) (names ??= new Set()).add(`${podName}-${name}`);
  return names;
}

function validateSource(found: Findings, volume: Volume, path: string, context: VolumeContext): void {
  let sources = 0;
  let only: SourceRule | undefined;
  for (const key in volume) {
    if (key === 'name' || volume[key as keyof Volume] === undefined) continue;
    const rule = RULES.get(key);
    if (rule === undefined) continue;
    sources++;
    only = rule;
  }
  if (sources === 0) found.push(required(path, 'must specify a volume type'));
  else if (sources === 1 && only !== undefined) only.validate(found, volume, path, context);
  else validateSeveral(found, volume, path, context);
}

/** The first source in order counts; every further one is one too many. */
function validateSeveral(found: Findings, volume: Volume, path: string, context: VolumeContext): void {
  let first = true;
  for (const [key, rule] of RULES) {
    if (volume[key as keyof Volume] === undefined) continue;
    if (first) rule.validate(found, volume, path, context);
    else found.push(forbidden(field.child(path, rule.refusedAs ?? key), 'may not specify more than 1 volume type'));
    if (!first && key === 'iscsi') validateInitiatorLength(found, volume, path);
    first = false;
  }
}

interface SourceRule {
  readonly validate: VolumeRule;
  /** Two fields are misspelt in the message about a second source. */
  readonly refusedAs?: string;
}

const emptyDir: VolumeRule = (found, { emptyDir: source }, path) => {
  if (source?.sizeLimit !== undefined && isNegative(source.sizeLimit)) {
    found.push(forbidden(`${path}.emptyDir.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
  }
};

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

export function validateHostPath(found: Findings, source: Partial<HostPathVolumeSource>, path: string): void {
  const { path: target = '', type } = source;
  if (target === '') {
    found.push(required(`${path}.path`, ''));
    return;
  }
  validateNoBacksteps(found, target, `${path}.path`);
  if (type !== undefined && !HOST_PATH_TYPES.includes(type)) {
    found.push(notSupported(`${path}.type`, type, HOST_PATH_TYPES));
  }
}

const hostPath: VolumeRule = (found, { hostPath: source }, path) =>
  validateHostPath(found, source ?? {}, `${path}.hostPath`);

const secret: VolumeRule = (found, { secret: source }, path) => {
  if (!source?.secretName) found.push(required(`${path}.secret.secretName`, ''));
  validateFileMode(found, source?.defaultMode, `${path}.secret.defaultMode`);
  validateItems(found, source?.items, `${path}.secret.items`);
};

const configMap: VolumeRule = (found, { configMap: source }, path) => {
  if (!source?.name) found.push(required(`${path}.configMap.name`, ''));
  validateFileMode(found, source?.defaultMode, `${path}.configMap.defaultMode`);
  validateItems(found, source?.items, `${path}.configMap.items`);
};

const persistentVolumeClaim: VolumeRule = (found, { persistentVolumeClaim: source }, path) => {
  if (!source?.claimName) found.push(required(`${path}.persistentVolumeClaim.claimName`, ''));
};

const image: VolumeRule = (found, { image: source }, path, { options }) => {
  const { reference, pullPolicy } = source as ImageVolumeSource;
  if (options.isPod && !reference) found.push(required(`${path}.image.reference`, ''));
  validatePullPolicy(found, pullPolicy, `${path}.image.pullPolicy`);
};

const csi: VolumeRule = (found, { csi: source }, path) => {
  const { driver, nodePublishSecretRef: reference } = source as CSIVolumeSource;
  validateDriverName(found, driver, `${path}.csi.driver`);
  if (reference === undefined) return;
  if (!reference.name) found.push(required(`${path}.csi.nodePublishSecretRef.name`, ''));
  else addTexts(found, `${path}.csi.name`, reference.name, nameIsDnsSubdomain(reference.name, false));
};

export function validateDriverName(found: Findings, name: string | undefined, path: string): void {
  if (!name) {
    found.push(required(path, ''));
    return;
  }
  if (exceedsBytes(name, 63)) found.push(tooLong(path, 63));
  addTexts(found, path, name, dns1123SubdomainProblems(name.toLowerCase()));
}

const ephemeral: VolumeRule = (found, volume, path, { podMeta }) => {
  const template = volume.ephemeral?.volumeClaimTemplate;
  if (template === undefined) found.push(required(`${path}.ephemeral.volumeClaimTemplate`, ''));
  else validateClaimTemplate(found, template, `${path}.ephemeral.volumeClaimTemplate`);
  if (!podMeta?.name || !volume.name) return;
  const claim = `${podMeta.name}-${volume.name}`;
  for (const text of nameIsDnsSubdomain(claim, false)) {
    found.push(invalid(`${path}.name`, volume.name, `PVC name ${JSON.stringify(claim)}: ${text}`));
  }
};

const removed = (key: keyof typeof REMOVED_VOLUME_RULES): readonly [string, SourceRule] => [
  key,
  { validate: REMOVED_VOLUME_RULES[key], ...(key === 'cephfs' ? { refusedAs: 'cephFS' } : undefined) },
];

const RULES: ReadonlyMap<string, SourceRule> = new Map<string, SourceRule>([
  ['emptyDir', { validate: emptyDir }],
  ['hostPath', { validate: hostPath }],
  removed('gitRepo'),
  removed('gcePersistentDisk'),
  removed('awsElasticBlockStore'),
  ['secret', { validate: secret }],
  removed('nfs'),
  removed('iscsi'),
  removed('glusterfs'),
  removed('flocker'),
  ['persistentVolumeClaim', { validate: persistentVolumeClaim }],
  removed('rbd'),
  removed('cinder'),
  removed('cephfs'),
  removed('quobyte'),
  ['downwardAPI', { validate: validateDownwardApi, refusedAs: 'downwarAPI' }],
  removed('fc'),
  removed('flexVolume'),
  ['configMap', { validate: configMap }],
  removed('azureFile'),
  removed('vsphereVolume'),
  removed('photonPersistentDisk'),
  removed('portworxVolume'),
  removed('azureDisk'),
  removed('storageos'),
  ['projected', { validate: validateProjected }],
  removed('scaleIO'),
  ['csi', { validate: csi }],
  ['ephemeral', { validate: ephemeral }],
  ['image', { validate: image }],
]);
