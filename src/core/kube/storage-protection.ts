/** Finalizers that keep what is in use, by the resource they are on (`group/resource`). */
export const STORAGE_PROTECTION = {
  '/persistentvolumes': 'kubernetes.io/pv-protection',
  '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
} as const;
