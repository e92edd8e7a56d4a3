/** A mount, and with it the volume it mounts. */
import { DEFAULTS } from './defaults.ts';
import { boolean, integer, list, long, object, oneOf, optional, quantity, required, text } from './language.ts';

const MODE = integer(0, 0o777);

const files = (kind: string) =>
  object(`${kind}Volume`, {
    name: required(text('dns-subdomain'), `The ${kind}`),
    key: optional(text('config-key'), 'Only this key'),
    path: optional(text(), 'File name for that key', { default: 'the key' }),
    defaultMode: optional(MODE, 'Mode of the files, such as `0440`', { default: '`0644`' }),
    optional: optional(boolean, 'Mount nothing if it is missing'),
  });

export const HOST_PATH_TYPES = [
  'DirectoryOrCreate',
  'Directory',
  'FileOrCreate',
  'File',
  'Socket',
  'CharDevice',
  'BlockDevice',
] as const;

export const volumeMount = object(
  'VolumeMount',
  {
    name: required(
      text('dns-label'),
      'Name of the volume. Mounts of several containers that name the same volume share it',
    ),
    mountPath: required(text(), 'Where it appears in the container'),
    readOnly: optional(boolean, 'Nothing can be written through this mount'),
    subPath: optional(text(), 'Only this file or folder of the volume'),
    subPathExpr: optional(text(), 'As subPath, with `$(VARIABLES)`'),
    mountPropagation: optional(
      oneOf('None', 'HostToContainer', 'Bidirectional'),
      'Whether later mounts below this one are seen here or on the node',
    ),
    configMap: optional(files('ConfigMap'), 'Files from a ConfigMap'),
    secret: optional(files('Secret'), 'Files from a Secret'),
    hostPath: optional(
      object(
        'HostPath',
        {
          path: required(text('absolute-path'), 'Path on the node'),
          type: optional(oneOf(...HOST_PATH_TYPES), 'What must be there', { default: 'no check' }),
        },
        {},
      ),
      'A file or folder of the node. Short: `hostPath: /var/log` with `hostPathType: Directory` beside it',
    ),
    emptyDir: optional(
      object('EmptyDir', {
        medium: optional(oneOf('Memory'), 'Kept in memory', { default: 'on disk' }),
        sizeLimit: optional(quantity, 'The most it may hold'),
      }),
      'A folder that lives as long as the pod',
    ),
    pvc: optional(
      object('PersistentVolumeClaim', {
        claimName: required(text('dns-subdomain'), 'The claim'),
        readOnly: optional(boolean, 'The volume itself is read-only'),
      }),
      'A persistent volume claim',
      { aliases: ['persistentVolumeClaim'] },
    ),
    serviceAccountToken: optional(
      object('ServiceAccountToken', {
        audience: required(text(), 'Who the token is for'),
        expirationSeconds: optional(long(0), 'Lifetime, at least 600; 0 is the default', { default: '3600' }),
        path: optional(text(), 'File name', { default: `\`${DEFAULTS.tokenFile}\`` }),
      }),
      'A token of the service account, renewed by the kubelet',
    ),
  },
  {
    form: 'flat-host-path',
    alternatives: ['configMap', 'secret', 'hostPath', 'emptyDir', 'pvc', 'serviceAccountToken'],
  },
);

export const volumeMounts = list(volumeMount, {});
