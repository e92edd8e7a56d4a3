/** The client of one instance of an actor: every request passes here, may fail here, and is logged. */
import { PODS } from '../../../core/api/registry/resources.ts';
import type { KubeObject, ObjectKey, Resource, Stored } from '../../../core/kube/objects.ts';
import { internalError, serviceUnavailable, timeout, tooManyRequests } from '../../../core/kube/status-error.ts';
import type { StatusError } from '../../../core/kube/status-error.ts';
import type {
  Client,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WatchStream,
} from '../../../machinery/client/client.ts';
import { resourceName } from '../commit.ts';
import type { Life } from '../life.ts';
import { describeFault, type Fault } from './fault.ts';
import { faultyWatch } from './faulty-watch.ts';
import type { FaultPlan, WriteVerb } from './plan.ts';

export interface FaultyClientOptions {
  readonly inner: Client;
  readonly actor: string;
  readonly life: Life;
  readonly plan: FaultPlan;
  /** Faults strike only while this returns true. */
  readonly isTroubled: () => boolean;
  /** The name of the next point of this kind; goes on counting over the actor's lives. */
  readonly nextPoint: (kind: string) => string;
  /** 0 ≤ answer ≤ most, drawn for this point. */
  readonly draw: (point: string, most: number) => number;
  /** Runs a request in this actor's name. */
  readonly attribute: <T>(run: () => T) => T;
  /** Another writer changes the object. */
  readonly touch: (resource: Resource, key: ObjectKey, point: string) => Promise<void>;
  readonly crash: (downMs: number) => void;
  readonly note: (text: string) => void;
  /** Every request counts against a budget, so that a loop without end is noticed. */
  readonly count: () => void;
  /** A write was answered with this object. */
  readonly acknowledged: (resource: Resource, object: Stored) => void;
  /** Opens a witness of a watch: it gets the events as the server sent them. */
  readonly witness: <T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
  ) => (batch: readonly WatchEvent<T>[]) => void;
  /** The actor was shown this resource as of this version. */
  readonly shown: (resource: Resource, version: string) => void;
  /** The oldest revision a watch can begin at. */
  readonly oldest: () => number;
}

const never = <T>(): Promise<T> => new Promise(() => undefined);

const errorOf = (code: 429 | 500 | 503 | 504): StatusError => {
  switch (code) {
    case 429:
      return tooManyRequests('too many requests, please try again later (simulated)', 1);
    case 500:
      return internalError('simulated');
    case 503:
      return serviceUnavailable('the server is currently unable to handle the request (simulated)');
    case 504:
      return timeout('the request did not complete in time (simulated)');
  }
};

const kindOf = (verb: string, resource: Resource, subresource = ''): string =>
  `${verb} ${resourceName(resource)}${subresource === '' ? '' : `/${subresource}`}`;

/** Objects without competing writers: faults on them would only be noise. */
const isPrivate = ({ resource }: Resource): boolean => resource === 'events' || resource === 'leases';

export function createFaultyClient(options: FaultyClientOptions): Client {
  const { inner, actor, life, plan, attribute } = options;
  const { clock } = life;
  const { latencyMs } = plan;

  const pointOf = (kind: string): string => `${actor} ${options.nextPoint(kind)}`;
  const latency = (point: string): number => (latencyMs === 0 ? 0 : options.draw(point, latencyMs));
  const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
    ms <= 0 ? Promise.resolve() : clock.sleep(ms, signal);
  const tell = (point: string, fault: Fault): void => options.note(`fault: ${point}: ${describeFault(fault)}`);

  interface Write<T> {
    readonly verb: WriteVerb;
    readonly resource: Resource;
    readonly key: ObjectKey | undefined;
    readonly subresource: string | undefined;
    readonly signal: AbortSignal | undefined;
    readonly send: () => Promise<T>;
  }

  function write<T>(request: Write<T>): Promise<T> {
    if (life.isOver) return never();
    options.count();
    const point = pointOf(kindOf(request.verb, request.resource, request.subresource));
    return life.guard(carry(request, point));
  }

  async function carry<T>({ verb, resource, key, signal, send }: Write<T>, point: string): Promise<T> {
    const dispatch = (): Promise<T> => (life.isOver ? never() : attribute(send));
    const fault = options.isTroubled() ? plan.write(point, verb) : undefined;
    if (fault !== undefined) tell(point, fault);
    const there = latency(`${point} there`);
    if (there > 0) await pause(there, signal);
    switch (fault?.kind) {
      case 'refused':
        throw errorOf(fault.code);
      case 'crash-before':
        options.crash(fault.downMs);
        return never();
      case 'crash-after':
        await dispatch().then(nothing, nothing);
        options.crash(fault.downMs);
        return never();
      case 'answer-lost':
        await dispatch().then(nothing, nothing);
        throw errorOf(fault.code);
      case 'delayed':
        await pause(fault.thereMs, signal);
        break;
      case 'overtaken':
        if (key !== undefined && !isPrivate(resource)) await options.touch(resource, key, point);
        break;
      case undefined:
        break;
    }
    const answer = await dispatch();
    const back = latency(`${point} back`) + (fault?.kind === 'delayed' ? fault.backMs : 0);
    if (back > 0) await pause(back, signal);
    return answer;
  }

  async function read<T>(kind: string, request: RequestOptions, send: () => Promise<T>): Promise<T> {
    if (life.isOver) return never();
    options.count();
    const point = pointOf(kind);
    const fault = options.isTroubled() ? plan.read(point) : undefined;
    if (fault !== undefined) tell(point, fault);
    const { signal } = request;
    await life.guard(pause(latency(`${point} there`) + (fault?.kind === 'delayed' ? fault.thereMs : 0), signal));
    if (fault?.kind === 'refused') throw errorOf(fault.code);
    const answer = await life.guard(send());
    await life.guard(pause(latency(`${point} back`) + (fault?.kind === 'delayed' ? fault.backMs : 0), signal));
    return answer;
  }

  function watch<T extends KubeObject>(resource: Resource<T>, request: WatchOptions): WatchStream<T> {
    options.count();
    const point = pointOf(kindOf('watch', resource));
    const fault = life.isOver || !options.isTroubled() ? undefined : plan.watch(point);
    if (fault !== undefined) tell(point, fault);
    let asked = request;
    if (fault?.kind === 'replayed' && request.resourceVersion !== undefined) {
      const from = Math.max(options.oldest(), Number(request.resourceVersion) - fault.revisions, 1);
      if (from < Number(request.resourceVersion)) asked = { ...request, resourceVersion: String(from) };
    }
    let batches = 0;
    return faultyWatch(inner.watch(resource, asked), {
      hear: options.witness(resource, asked),
      shown: (version) => options.shown(resource, version),
      life,
      clock,
      fault,
      latency: () => latency(`${point} batch ${(batches += 1)}`),
    });
  }

  const acknowledge =
    (resource: Resource) =>
    <T extends KubeObject>(object: Stored<T>): Stored<T> => {
      options.acknowledged(resource, object);
      return object;
    };
  const named = (object: KubeObject, namespace: string | undefined): ObjectKey => {
    const at = namespace ?? object.metadata.namespace;
    return { name: object.metadata.name, ...(at === undefined ? {} : { namespace: at }) };
  };

  return {
    get: (resource, key, get = {}) => read(kindOf('get', resource), get, () => inner.get(resource, key, get)),
    list: (resource, list = {}) =>
      read(kindOf('list', resource), list, () => inner.list(resource, list)).then((page) => {
        if ((page.continue ?? '') === '') options.shown(resource, page.resourceVersion);
        return page;
      }),
    watch: (resource, request = {}) => watch(resource, request),
    create: (resource, object, request = {}) =>
      write({
        verb: 'create',
        resource,
        key: undefined,
        subresource: request.subresource,
        signal: request.signal,
        send: () => inner.create(resource, object, request).then(acknowledge(resource)),
      }),
    update: (resource, object, request = {}) =>
      write({
        verb: 'update',
        resource,
        key: named(object, request.namespace),
        subresource: request.subresource,
        signal: request.signal,
        send: () => inner.update(resource, object, request).then(acknowledge(resource)),
      }),
    patch: (resource, key, patch, request = {}) =>
      write({
        verb: 'patch',
        resource,
        key,
        subresource: request.subresource,
        signal: request.signal,
        send: () => inner.patch(resource, key, patch, request).then(acknowledge(resource)),
      }),
    apply: (resource, object, request) =>
      write({
        verb: 'apply',
        resource,
        key: named(object, request.namespace),
        subresource: request.subresource,
        signal: request.signal,
        send: () => inner.apply(resource, object, request).then(acknowledge(resource)),
      }),
    delete: (resource, key, request = {}) =>
      write({
        verb: 'delete',
        resource,
        key,
        subresource: undefined,
        signal: request.signal,
        send: () => inner.delete(resource, key, request),
      }),
    deleteCollection: (resource, request = {}) =>
      write({
        verb: 'deletecollection',
        resource,
        key: undefined,
        subresource: undefined,
        signal: request.signal,
        send: () => inner.deleteCollection(resource, request),
      }),
    bind: (pod, nodeName, request = {}) =>
      write({
        verb: 'bind',
        resource: PODS,
        key: pod,
        subresource: undefined,
        signal: request.signal,
        send: () => inner.bind(pod, nodeName, request),
      }),
    evict: (pod, request = {}) =>
      write({
        verb: 'evict',
        resource: PODS,
        key: pod,
        subresource: undefined,
        signal: request.signal,
        send: () => inner.evict(pod, request),
      }),
  };
}

const nothing = (): void => undefined;
