/** Dependencies of the wire on the rest of the API server; built once in server.ts. */
import type { Registry } from '../../core/api/registry/registry.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type {
  ApiRequest,
  ApiResponse,
  ConnectRequest,
  ConnectResponse,
  RequestBase,
  WatchHandle,
  WatchRequest,
  WatchSink,
} from '../contract/request.ts';
import type { EncodedCache } from './encoded-cache.ts';
import type { UnreadBudget } from './unread-budget.ts';
import type { YamlBodies } from './yaml.ts';

/** The part of the API server that the wire carries. */
interface ApiService {
  /** Throws a 403 where the user may not. */
  authorize(request: RequestBase, verb: string, fieldSelector?: string): void;
  handle(request: ApiRequest): Promise<ApiResponse>;
  watch(request: WatchRequest, sink: WatchSink): WatchHandle;
  connect(request: ConnectRequest): Promise<ConnectResponse>;
}

export interface WireContext {
  readonly api: ApiService;
  readonly kinds: Registry;
  readonly clock: Clock;
  readonly encoded: EncodedCache;
  readonly unread: UnreadBudget;
  readonly yaml: YamlBodies;
}
