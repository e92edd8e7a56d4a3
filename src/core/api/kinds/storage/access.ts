/** Access modes, volume modes and class names, shared by volumes and claims. */
import { forbidden, notSupported } from '../../../kube/field-errors.ts';
import { nameIsDnsSubdomain } from '../../../kube/names.ts';
import { addTexts, type Findings } from '../../rules/findings.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

export const VOLUME_MODES = ['Block', 'Filesystem'];
export const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
export const CLASS_ANNOTATION_TEXT = 'deprecated since v1.8; use "storageClassName" attribute instead';

export function validateAccessModes(found: Findings, modes: readonly string[], path: string): void {
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) found.push(notSupported(path, mode, ACCESS_MODES));
  const others = modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  if (others && modes.includes('ReadWriteOncePod')) {
    found.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  }
}

export function validateClassName(found: Findings, name: string | undefined, path: string): void {
  if (name) addTexts(found, path, name, nameIsDnsSubdomain(name, false));
}
