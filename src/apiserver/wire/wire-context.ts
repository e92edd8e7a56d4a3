/** What the wire needs of the rest of the API server; built once in server.ts. */
import type { Registry } from '../../core/api/registry/registry.ts';
import type { Clock } from '../../machinery/clock.ts';
import type { UserInfo } from '../../machinery/admission.ts';
import type { ApiRequest, ApiResponse, RequestTarget, WatchHandle, WatchRequest, WatchSink } from '../request.ts';
import type { EncodedCache } from './encoded-cache.ts';

/** The part of the API server that the wire carries. */
export interface ApiService {
  handle(request: ApiRequest): Promise<ApiResponse>;
  watch(request: WatchRequest, sink: WatchSink): WatchHandle;
}

/** Answers requests that are carried on to somewhere else, such as a pod's log on its node. */
export interface ConnectHandler {
  /** Text to answer with, or undefined where nothing is connected to that subresource. */
  (
    target: RequestTarget,
    query: URLSearchParams,
    user: UserInfo,
    signal: AbortSignal,
  ): AsyncIterable<Buffer> | undefined;
}

export interface WireContext {
  readonly api: ApiService;
  readonly kinds: Registry;
  readonly clock: Clock;
  readonly encoded: EncodedCache;
  readonly connect: ConnectHandler;
}
