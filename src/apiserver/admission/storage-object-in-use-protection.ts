/**
 * Claims, volumes and classes of volume attributes are born with a finalizer, so that none goes while it is in use. A
 * controller takes it off when it may.
 */
import { withFinalizer } from '../../core/kube/finalizers.ts';
import { STORAGE_PROTECTION } from '../../core/kube/storage-protection.ts';
import type { AdmissionPlugin, AdmissionResponse } from '../../machinery/ports/admission.ts';

const ALLOWED: AdmissionResponse = { allowed: true };

export function createStorageObjectInUseProtection(
  protects: readonly (keyof typeof STORAGE_PROTECTION)[],
): AdmissionPlugin {
  const finalizers: ReadonlyMap<string, string> = new Map(protects.map((name) => [name, STORAGE_PROTECTION[name]]));
  const finalizerOf = ({ group, resource }: { readonly group: string; readonly resource: string }) =>
    finalizers.get(`${group}/${resource}`);
  return {
    name: 'StorageObjectInUseProtection',
    handles: ({ operation, resource, subresource }) =>
      operation === 'CREATE' && subresource === '' && finalizerOf(resource) !== undefined,
    mutate({ object, resource }) {
      const finalizer = finalizerOf(resource);
      if (finalizer === undefined || object === undefined) return ALLOWED;
      const guarded = withFinalizer(object, finalizer);
      return guarded === object ? ALLOWED : { allowed: true, object: guarded };
    },
  };
}
