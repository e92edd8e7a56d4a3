/** Metadata-only answers, which garbage collectors and metadata informers ask for. */
import type { KubeObject } from '../../core/kube/objects.ts';

export const partialMetadata = (object: KubeObject, version: string): KubeObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: `meta.k8s.io/${version}`,
  metadata: object.metadata,
});
