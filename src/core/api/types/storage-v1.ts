// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { PersistentVolumeSpec, TopologySelectorTerm } from './core-v1.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface CSIDriver {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: CSIDriverSpec;
}

export interface CSIDriverList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly CSIDriver[];
}

export interface CSIDriverSpec {
  readonly attachRequired?: boolean;
  readonly podInfoOnMount?: boolean;
  readonly volumeLifecycleModes?: readonly string[];
  readonly storageCapacity?: boolean;
  readonly fsGroupPolicy?: string;
  readonly tokenRequests?: readonly TokenRequest[];
  readonly requiresRepublish?: boolean;
  readonly seLinuxMount?: boolean;
  readonly nodeAllocatableUpdatePeriodSeconds?: number;
  readonly serviceAccountTokenInSecrets?: boolean;
  readonly preventPodSchedulingIfMissing?: boolean;
}

export interface CSINode {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: CSINodeSpec;
}

export interface CSINodeDriver {
  readonly name: string;
  readonly nodeID: string;
  readonly topologyKeys?: readonly string[];
  readonly allocatable?: VolumeNodeResources;
}

export interface CSINodeList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly CSINode[];
}

export interface CSINodeSpec {
  readonly drivers: readonly CSINodeDriver[];
}

export interface CSIStorageCapacity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly nodeTopology?: LabelSelector;
  readonly storageClassName: string;
  readonly capacity?: string | number;
  readonly maximumVolumeSize?: string | number;
}

export interface CSIStorageCapacityList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly CSIStorageCapacity[];
}

export interface StorageClass {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly provisioner: string;
  readonly parameters?: { readonly [key: string]: string };
  readonly reclaimPolicy?: string;
  readonly mountOptions?: readonly string[];
  readonly allowVolumeExpansion?: boolean;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly TopologySelectorTerm[];
}

export interface StorageClassList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly StorageClass[];
}

export interface TokenRequest {
  readonly audience: string;
  readonly expirationSeconds?: number;
}

export interface VolumeAttachment {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: VolumeAttachmentSpec;
  readonly status?: VolumeAttachmentStatus;
}

export interface VolumeAttachmentList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly VolumeAttachment[];
}

export interface VolumeAttachmentSource {
  readonly persistentVolumeName?: string;
  readonly inlineVolumeSpec?: PersistentVolumeSpec;
}

export interface VolumeAttachmentSpec {
  readonly attacher: string;
  readonly source: VolumeAttachmentSource;
  readonly nodeName: string;
}

export interface VolumeAttachmentStatus {
  readonly attached: boolean;
  readonly attachmentMetadata?: { readonly [key: string]: string };
  readonly attachError?: VolumeError;
  readonly detachError?: VolumeError;
}

export interface VolumeAttributesClass {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly driverName: string;
  readonly parameters?: { readonly [key: string]: string };
}

export interface VolumeAttributesClassList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly VolumeAttributesClass[];
}

export interface VolumeError {
  readonly time?: string;
  readonly message?: string;
  readonly errorCode?: number;
}

export interface VolumeNodeResources {
  readonly count?: number;
}
