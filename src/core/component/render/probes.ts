/** Probes and hooks. Timings are written as they were given, a zero too. */
import type { ComponentContainer, ComponentProbe } from '../../api/component/types.ts';
import type { Lifecycle, LifecycleHandler, Probe } from '../../api/types/core-v1.ts';
import { present } from './present.ts';

type HttpGet = NonNullable<ComponentProbe['httpGet']>;
type TcpSocket = NonNullable<ComponentProbe['tcpSocket']>;
type Hook = NonNullable<NonNullable<ComponentContainer['lifecycle']>['preStop']>;

const portOf = ({ portNumber, portName }: HttpGet | TcpSocket): number | string => portNumber ?? portName ?? 0;

const httpGetOf = (get: HttpGet): NonNullable<Probe['httpGet']> =>
  present({ path: get.path, port: portOf(get), host: get.host, scheme: get.scheme, httpHeaders: get.httpHeaders });

const tcpSocketOf = (socket: TcpSocket): NonNullable<Probe['tcpSocket']> =>
  present({ port: portOf(socket), host: socket.host });

export const probeOf = (probe: ComponentProbe | undefined): Probe | undefined =>
  probe &&
  present<Probe>({
    httpGet: probe.httpGet && httpGetOf(probe.httpGet),
    grpc: probe.grpc,
    tcpSocket: probe.tcpSocket && tcpSocketOf(probe.tcpSocket),
    exec: probe.exec,
    initialDelaySeconds: probe.initialDelaySeconds,
    periodSeconds: probe.periodSeconds,
    timeoutSeconds: probe.timeoutSeconds,
    successThreshold: probe.successThreshold,
    failureThreshold: probe.failureThreshold,
    terminationGracePeriodSeconds: probe.terminationGracePeriodSeconds,
  });

const hookOf = (hook: Hook | undefined): LifecycleHandler | undefined =>
  hook &&
  present<LifecycleHandler>({
    exec: hook.exec,
    httpGet: hook.httpGet && httpGetOf(hook.httpGet),
    tcpSocket: hook.tcpSocket && tcpSocketOf(hook.tcpSocket),
    sleep: hook.sleep,
  });

export const lifecycleOf = (lifecycle: ComponentContainer['lifecycle']): Lifecycle | undefined =>
  lifecycle && present<Lifecycle>({ postStart: hookOf(lifecycle.postStart), preStop: hookOf(lifecycle.preStop) });
