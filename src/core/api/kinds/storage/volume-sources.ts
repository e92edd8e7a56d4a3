/** Where the bytes of a PersistentVolume are. Most systems are named as in a pod; some also say in which namespace. */
import { field, forbidden, invalid, required } from '../../../kube/field-errors.ts';
import { exceedsBytes } from '../../../kube/go-text.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems, nameIsDnsLabel } from '../../../kube/names.ts';
import type {
  CSIPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  PersistentVolumeSpec,
  Volume,
} from '../../types/core-v1.ts';
import { addTexts, type Findings, rangeText } from '../../rules/findings.ts';
import { validateNoBacksteps } from '../../rules/paths.ts';
import { isQualifiedInitiator, REMOVED_VOLUME_RULES } from '../pod/validate-removed-volumes.ts';
import { validateDriverName, validateHostPath } from '../pod/validate-volumes.ts';

interface Context {
  readonly volumeName: string;
  readonly hasAffinity: boolean;
  /** Path of the spec, which holds the sources beside the other fields. */
  readonly path: string;
}

type Rule = (found: Findings, spec: PersistentVolumeSpec, context: Context) => void;

const asInPods =
  (key: keyof typeof REMOVED_VOLUME_RULES): Rule =>
  (found, spec, { path }) =>
    REMOVED_VOLUME_RULES[key](found, spec as unknown as Volume, path);

const hostPath: Rule = (found, spec, { path }) => validateHostPath(found, spec.hostPath ?? {}, `${path}.hostPath`);

const glusterfs: Rule = (found, spec, context) => {
  asInPods('glusterfs')(found, spec, context);
  const namespace = spec.glusterfs?.endpointsNamespace;
  const at = `${context.path}.glusterfs.endpointsNamespace`;
  if (namespace === '') {
    found.push(invalid(at, namespace, 'if the endpointnamespace is set, it must be a valid namespace name'));
  } else if (namespace !== undefined) addTexts(found, at, namespace, nameIsDnsLabel(namespace, false));
};

const MALFORMED = 'must be valid format';

const iscsi: Rule = (found, spec, { volumeName, path }) => {
  const source = (spec.iscsi ?? {}) as Partial<ISCSIPersistentVolumeSource>;
  const { targetPortal = '', iqn = '', lun = 0, initiatorName, secretRef } = source;
  const at = `${path}.iscsi`;
  if (targetPortal === '') found.push(required(`${at}.targetPortal`, ''));
  if (initiatorName !== undefined && exceedsBytes(`${volumeName}:${targetPortal}`, 64)) {
    const text =
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
    found.push(invalid(`${at}.targetportal`, targetPortal, text));
  }
  if (iqn === '') found.push(required(`${at}.iqn`, ''));
  else if (!isQualifiedInitiator(iqn)) found.push(invalid(`${at}.iqn`, iqn, MALFORMED));
  if (lun < 0 || lun > 255) found.push(invalid(`${at}.lun`, lun, rangeText(0, 255)));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && secretRef === undefined) {
    found.push(required(`${at}.secretRef`, ''));
  }
  if (secretRef !== undefined && !secretRef.name) found.push(required(`${at}.secretRef.name`, ''));
  if (initiatorName !== undefined && !isQualifiedInitiator(initiatorName)) {
    found.push(invalid(`${at}.initiatorname`, initiatorName, MALFORMED));
  }
};

const needsNamespace = (found: Findings, secret: { readonly namespace?: string } | undefined, path: string): void => {
  if (secret !== undefined && !secret.namespace) found.push(required(`${path}.secretRef.namespace`, ''));
};

const cinder: Rule = (found, spec, context) => {
  asInPods('cinder')(found, spec, context);
  needsNamespace(found, spec.cinder?.secretRef, `${context.path}.cinder`);
};

const azureFile: Rule = (found, spec, context) => {
  asInPods('azureFile')(found, spec, context);
  if (spec.azureFile?.secretNamespace === '') found.push(required(`${context.path}.azureFile.secretNamespace`, ''));
};

const storageos: Rule = (found, spec, context) => {
  asInPods('storageos')(found, spec, context);
  needsNamespace(found, spec.storageos?.secretRef, `${context.path}.storageos`);
};

const local: Rule = (found, spec, { hasAffinity, path }) => {
  const target = spec.local?.path ?? '';
  if (target === '') found.push(required(`${path}.local.path`, ''));
  else validateNoBacksteps(found, target, `${path}.local.path`);
  if (!hasAffinity) found.push(required(`${path}.nodeAffinity`, 'Local volume requires node affinity'));
};

const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

const csi: Rule = (found, spec, { path }) => {
  const source = (spec.csi ?? {}) as Partial<CSIPersistentVolumeSource>;
  const at = `${path}.csi`;
  validateDriverName(found, source.driver, `${at}.driver`);
  if (!source.volumeHandle) found.push(required(`${at}.volumeHandle`, ''));
  for (const key of CSI_SECRETS) {
    const secret = source[key];
    if (secret === undefined) continue;
    const { name = '', namespace = '' } = secret;
    const where = field.child(at, key);
    if (name === '') found.push(required(`${where}.name`, ''));
    else addTexts(found, `${where}.name`, name, dns1123SubdomainProblems(name));
    if (namespace === '') found.push(required(`${where}.namespace`, ''));
    else addTexts(found, `${where}.namespace`, namespace, dns1123LabelProblems(namespace));
  }
};

/** In the order upstream looks at them: the first is judged, a second refused. */
const RULES: readonly (readonly [keyof PersistentVolumeSpec, Rule])[] = [
  ['hostPath', hostPath],
  ['gcePersistentDisk', asInPods('gcePersistentDisk')],
  ['awsElasticBlockStore', asInPods('awsElasticBlockStore')],
  ['glusterfs', glusterfs],
  ['flocker', asInPods('flocker')],
  ['nfs', asInPods('nfs')],
  ['rbd', asInPods('rbd')],
  ['quobyte', asInPods('quobyte')],
  ['cephfs', asInPods('cephfs')],
  ['iscsi', iscsi],
  ['cinder', cinder],
  ['fc', asInPods('fc')],
  ['flexVolume', asInPods('flexVolume')],
  ['azureFile', azureFile],
  ['vsphereVolume', asInPods('vsphereVolume')],
  ['photonPersistentDisk', asInPods('photonPersistentDisk')],
  ['portworxVolume', asInPods('portworxVolume')],
  ['azureDisk', asInPods('azureDisk')],
  ['scaleIO', asInPods('scaleIO')],
  ['local', local],
  ['storageos', storageos],
  ['csi', csi],
];

export const SOURCES: readonly (keyof PersistentVolumeSpec)[] = RULES.map(([key]) => key);

export function validateSource(found: Findings, spec: PersistentVolumeSpec, context: Context): void {
  let seen = false;
  for (const [key, rule] of RULES) {
    if (spec[key] === undefined) continue;
    // Flex volumes are judged whatever else there is.
    if (!seen || key === 'flexVolume') rule(found, spec, context);
    else {
      const at = field.child(context.path, key === 'cephfs' ? 'cephFS' : key);
      found.push(forbidden(at, 'may not specify more than 1 volume type'));
    }
    seen = true;
  }
  if (!seen) found.push(required(context.path, 'must specify a volume type'));
}
