/** Volume types of storage systems that moved out of Kubernetes or ended. Objects that name them are still judged. */
import { field, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { dns1123LabelProblems } from '../../../kube/names.ts';
import { exceedsBytes } from '../../../kube/go-text.ts';
import type { AzureDiskVolumeSource, ISCSIVolumeSource, LocalObjectReference, Volume } from '../../types/core-v1.ts';
import type { Findings } from '../../rules/findings.ts';
import { addTexts, isSet, rangeText } from '../../rules/findings.ts';
import { isAbsolute, validateDescendingPath } from '../../rules/paths.ts';

type Rule = (found: Findings, volume: Volume, path: string) => void;

function need(found: Findings, path: string, values: { readonly [name: string]: unknown }): void {
  for (const name of Object.keys(values)) {
    const value = values[name];
    const missing = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    if (missing) found.push(required(field.child(path, name), ''));
  }
}

function validatePartition(found: Findings, partition: number | undefined, path: string): void {
  if (partition !== undefined && (partition < 0 || partition > 255)) {
    found.push(invalid(`${path}.partition`, partition, rangeText(1, 255)));
  }
}

function validateSecretRef(found: Findings, reference: LocalObjectReference | undefined, path: string): void {
  if (reference !== undefined && !reference.name) found.push(required(`${path}.secretRef.name`, ''));
}

const gitRepo: Rule = (found, { gitRepo: source }, path) => {
  need(found, `${path}.gitRepo`, { repository: source?.repository });
  validateDescendingPath(found, source?.directory ?? '', `${path}.gitRepo.directory`);
};

/** Upstream's findings about this source name `persistentDisk`, a field that does not exist. */
const gcePersistentDisk: Rule = (found, { gcePersistentDisk: source }, path) => {
  need(found, `${path}.persistentDisk`, { pdName: source?.pdName });
  validatePartition(found, source?.partition, `${path}.persistentDisk`);
};

const awsElasticBlockStore: Rule = (found, { awsElasticBlockStore: source }, path) => {
  need(found, `${path}.awsElasticBlockStore`, { volumeID: source?.volumeID });
  validatePartition(found, source?.partition, `${path}.awsElasticBlockStore`);
};

const nfs: Rule = (found, { nfs: source }, path) => {
  const { server, path: target = '' } = source ?? {};
  need(found, `${path}.nfs`, { server, path: target });
  if (!isAbsolute(target)) found.push(invalid(`${path}.nfs.path`, target, 'must be an absolute path'));
};

const IQN = /iqn\.\d{4}-\d{2}\.([0-9A-Za-z-.]+)(:[^,;*&$|\s]+)$/;
const EUI = /^eui.[0-9A-Za-z]{16}$/;
const NAA = /^naa.[0-9A-Za-z]{32}$/;

function qualifiedNameText(name: string): string | undefined {
  if (name.startsWith('iqn')) return IQN.test(name) ? undefined : 'must be valid format';
  if (name.startsWith('eui')) return EUI.test(name) ? undefined : 'must be valid format';
  if (name.startsWith('naa')) return NAA.test(name) ? undefined : 'must be valid format';
  return 'must be valid format starting with iqn, eui, or naa';
}

/** A name that an initiator may have, of one of the three forms. */
export const isQualifiedInitiator = (name: string): boolean => qualifiedNameText(name) === undefined;

const iscsi: Rule = (found, volume, path) => {
  const source = volume.iscsi as ISCSIVolumeSource;
  const at = `${path}.iscsi`;
  need(found, at, { targetPortal: source.targetPortal, iqn: source.iqn });
  const text = source.iqn ? qualifiedNameText(source.iqn) : undefined;
  if (text !== undefined) found.push(invalid(`${at}.iqn`, source.iqn, text));
  if (source.lun < 0 || source.lun > 255) found.push(invalid(`${at}.lun`, source.lun, rangeText(0, 255)));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && source.secretRef === undefined) {
    found.push(required(`${at}.secretRef`, ''));
  }
  if (source.initiatorName !== undefined) {
    const problem = qualifiedNameText(source.initiatorName);
    if (problem !== undefined) found.push(invalid(`${at}.initiatorname`, source.initiatorName, problem));
  }
  validateInitiatorLength(found, volume, path);
};

export const validateInitiatorLength: Rule = (found, { name, iscsi: source }, path) => {
  if (source?.initiatorName === undefined || !exceedsBytes(`${name}:${source.targetPortal}`, 64)) return;
  const text =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
  found.push(invalid(`${path}.name`, name, text));
};

const glusterfs: Rule = (found, { glusterfs: source }, path) =>
  need(found, `${path}.glusterfs`, { endpoints: source?.endpoints, path: source?.path });

const flocker: Rule = (found, { flocker: source }, path) => {
  const { datasetName = '', datasetUUID = '' } = source ?? {};
  const at = `${path}.flocker`;
  if (datasetName === '' && datasetUUID === '') {
    found.push(required(at, 'one of datasetName and datasetUUID is required'));
  }
  if (datasetName !== '' && datasetUUID !== '') {
    found.push(invalid(at, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (datasetName.includes('/')) found.push(invalid(`${at}.datasetName`, datasetName, "must not contain '/'"));
};

const rbd: Rule = (found, { rbd: source }, path) =>
  need(found, `${path}.rbd`, { monitors: source?.monitors, image: source?.image });

const cinder: Rule = (found, { cinder: source }, path) => {
  need(found, `${path}.cinder`, { volumeID: source?.volumeID });
  validateSecretRef(found, source?.secretRef, `${path}.cinder`);
};

const cephfs: Rule = (found, { cephfs: source }, path) => need(found, `${path}.cephfs`, { monitors: source?.monitors });

const HOST_PORT = /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/;
const REGISTRY_TEXT = 'must be a host:port pair or multiple pairs separated by commas';

const quobyte: Rule = (found, { quobyte: source }, path) => {
  const at = `${path}.quobyte`;
  const { registry = '', tenant = '', volume } = source ?? {};
  if (registry === '') found.push(required(`${at}.registry`, REGISTRY_TEXT));
  else if (exceedsBytes(tenant, 64)) {
    found.push(required(`${at}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'));
  } else {
    for (const pair of registry.split(',')) {
      if (!HOST_PORT.test(pair)) found.push(invalid(`${at}.registry`, registry, REGISTRY_TEXT));
    }
  }
  need(found, at, { volume });
};

const fc: Rule = (found, { fc: source }, path) => {
  const at = `${path}.fc`;
  const { targetWWNs, wwids, lun } = source ?? {};
  if (!isSet(targetWWNs) && !isSet(wwids)) {
    found.push(required(`${at}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (!isSet(targetWWNs)) return;
  if (isSet(wwids)) {
    found.push(invalid(`${at}.targetWWNs`, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (lun === undefined) found.push(required(`${at}.lun`, 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > 255) found.push(invalid(`${at}.lun`, lun, rangeText(0, 255)));
};

const flexVolume: Rule = (found, { flexVolume: source }, path) => {
  need(found, `${path}.flexVolume`, { driver: source?.driver });
  for (const option of Object.keys(source?.options ?? {})) {
    const [domain = ''] = option.split('/', 1);
    const dotted = `.${domain.toLowerCase()}`;
    if (!dotted.endsWith('.kubernetes.io') && !dotted.endsWith('.k8s.io')) continue;
    const at = field.key(`${path}.flexVolume.options`, option);
    found.push(invalid(at, option, 'kubernetes.io and k8s.io namespaces are reserved'));
  }
};

const azureFile: Rule = (found, { azureFile: source }, path) =>
  need(found, `${path}.azureFile`, { secretName: source?.secretName, shareName: source?.shareName });

const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_DISKS = [
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}',
];
const BLOB_DISKS = ['https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'];

const azureDisk: Rule = (found, { azureDisk: source }, path) => {
  const { diskName, diskURI = '', cachingMode, kind } = source as Partial<AzureDiskVolumeSource>;
  const at = `${path}.azureDisk`;
  need(found, at, { diskName, diskURI });
  if (cachingMode !== undefined && !CACHING_MODES.includes(cachingMode)) {
    found.push(notSupported(`${at}.cachingMode`, cachingMode, CACHING_MODES));
  }
  if (kind === undefined) return;
  if (!DISK_KINDS.includes(kind)) found.push(notSupported(`${at}.kind`, kind, DISK_KINDS));
  const managed = kind === 'Managed';
  if (!diskURI.startsWith(managed ? '/subscriptions/' : 'https://')) {
    found.push(notSupported(`${at}.diskURI`, diskURI, managed ? MANAGED_DISKS : BLOB_DISKS));
  }
};

const vsphereVolume: Rule = (found, { vsphereVolume: source }, path) =>
  need(found, `${path}.vsphereVolume`, { volumePath: source?.volumePath });

const photonPersistentDisk: Rule = (found, { photonPersistentDisk: source }, path) =>
  need(found, `${path}.photonPersistentDisk`, { pdID: source?.pdID });

const portworxVolume: Rule = (found, { portworxVolume: source }, path) =>
  need(found, `${path}.portworxVolume`, { volumeID: source?.volumeID });

const storageos: Rule = (found, { storageos: source }, path) => {
  const at = `${path}.storageos`;
  const { volumeName = '', volumeNamespace = '', secretRef } = source ?? {};
  if (volumeName === '') found.push(required(`${at}.volumeName`, ''));
  else addTexts(found, `${at}.volumeName`, volumeName, dns1123LabelProblems(volumeName));
  if (volumeNamespace !== '') {
    addTexts(found, `${at}.volumeNamespace`, volumeNamespace, dns1123LabelProblems(volumeNamespace));
  }
  validateSecretRef(found, secretRef, at);
};

const scaleIO: Rule = (found, { scaleIO: source }, path) =>
  need(found, `${path}.scaleIO`, { gateway: source?.gateway, system: source?.system, volumeName: source?.volumeName });

export const REMOVED_VOLUME_RULES = {
  gitRepo,
  gcePersistentDisk,
  awsElasticBlockStore,
  nfs,
  iscsi,
  glusterfs,
  flocker,
  rbd,
  cinder,
  cephfs,
  quobyte,
  fc,
  flexVolume,
  azureFile,
  azureDisk,
  vsphereVolume,
  photonPersistentDisk,
  portworxVolume,
  storageos,
  scaleIO,
} satisfies { readonly [name: string]: Rule };
