// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { ObjectReference } from './core-v1.ts';
import type { ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly hostname?: string;
  readonly targetRef?: ObjectReference;
  readonly deprecatedTopology?: { readonly [key: string]: string };
  readonly nodeName?: string;
  readonly zone?: string;
  readonly hints?: EndpointHints;
}

export interface EndpointConditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

export interface EndpointHints {
  readonly forZones?: readonly ForZone[];
  readonly forNodes?: readonly ForNode[];
}

export interface EndpointPort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: number;
  readonly appProtocol?: string;
}

export interface EndpointSlice {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly addressType: string;
  readonly endpoints?: readonly Endpoint[];
  readonly ports?: readonly EndpointPort[];
}

export interface EndpointSliceList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly EndpointSlice[];
}

export interface ForNode {
  readonly name: string;
}

export interface ForZone {
  readonly name: string;
}
