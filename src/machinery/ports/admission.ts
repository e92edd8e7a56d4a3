/**
 * The admission port. A plugin is a pure decision from the request and caches it was built with: no writes, so the
 * same code runs in the embedded chain and behind the webhook server.
 */
import type { GroupVersionResource, KubeObject } from '../../core/kube/objects.ts';
import type { StatusError } from '../../core/kube/status-error.ts';

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
  /** The tenant the identity belongs to; absent: the system tenant. */
  readonly tenant?: string;
}

export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: GroupVersionResource;
  readonly kind: string;
  readonly subresource: string;
  readonly tenant: string;
  readonly namespace: string;
  readonly name: string;
  /** The object to be stored; absent on DELETE. */
  readonly object?: KubeObject;
  /** The object stored now; absent on CREATE. */
  readonly oldObject?: KubeObject;
  readonly options?: object;
  readonly dryRun: boolean;
  readonly user: UserInfo;
}

interface AnyAnswer {
  /** Warnings for the client, whether the request is allowed or not. */
  readonly warnings?: readonly string[];
  /** For the audit log of the API server. Keys are plain names; the server puts the plugin's in front. */
  readonly auditAnnotations?: { readonly [key: string]: string };
}

/** Allowed, with the object to go on with where the plugin changed it; or refused. */
export type AdmissionResponse =
  | (AnyAnswer & { readonly allowed: true; readonly object?: KubeObject })
  | (AnyAnswer & { readonly allowed: false; readonly error: StatusError });

export interface AdmissionPlugin {
  readonly name: string;
  /** Cheap test, so that a plugin costs nothing for requests that do not concern it. */
  handles(request: Pick<AdmissionRequest, 'operation' | 'resource' | 'subresource'>): boolean;
  /** May change the object. Runs before validation, in the chain's order. */
  mutate?(request: AdmissionRequest): AdmissionResponse | Promise<AdmissionResponse>;
  /** May only refuse. Runs after validation of the final object. */
  validate?(request: AdmissionRequest): AdmissionResponse | Promise<AdmissionResponse>;
}
