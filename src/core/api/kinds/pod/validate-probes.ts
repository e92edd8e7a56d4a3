/** Probes and lifecycle hooks: what is called, and how often. */
import { forbidden, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { httpHeaderNameProblems, portNameProblems, portNumberProblems } from '../../../kube/value-formats.ts';
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe, ProbeHandler } from '../../types/core-v1.ts';
import type { Findings } from '../../rules/findings.ts';
import { addTexts, isSet, listOf, nonNegative } from '../../rules/findings.ts';

type Handler = ProbeHandler & LifecycleHandler;

/** Liveness and startup probes: one success is enough for both. */
export function validateLivenessOrStartup(found: Findings, probe: Probe | undefined, path: string): void {
  if (probe === undefined) return;
  validateProbe(found, probe, path);
  if (probe.successThreshold !== 1) {
    found.push(invalid(`${path}.successThreshold`, probe.successThreshold ?? 0, 'must be 1'));
  }
}

export function validateReadiness(found: Findings, probe: Probe | undefined, path: string): void {
  if (probe === undefined) return;
  validateProbe(found, probe, path);
  if (probe.terminationGracePeriodSeconds !== undefined) {
    const at = `${path}.terminationGracePeriodSeconds`;
    found.push(invalid(at, probe.terminationGracePeriodSeconds, 'must not be set for readinessProbes'));
  }
}

function validateProbe(found: Findings, probe: Probe, path: string): void {
  validateHandler(found, probe, undefined, path);
  nonNegative(found, probe.initialDelaySeconds, `${path}.initialDelaySeconds`);
  nonNegative(found, probe.timeoutSeconds, `${path}.timeoutSeconds`);
  nonNegative(found, probe.periodSeconds, `${path}.periodSeconds`);
  nonNegative(found, probe.successThreshold, `${path}.successThreshold`);
  nonNegative(found, probe.failureThreshold, `${path}.failureThreshold`);
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0) {
    found.push(invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'));
  }
}

/** `grace` bounds how long a hook may sleep. */
function validateHandler(found: Findings, handler: Handler, grace: number | undefined, path: string): void {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  let handlers = 0;
  const isFirst = (name: string): boolean => {
    if (handlers++ === 0) return true;
    found.push(forbidden(`${path}.${name}`, 'may not specify more than 1 handler type'));
    return false;
  };
  if (exec !== undefined && isFirst('exec') && !isSet(exec.command)) {
    found.push(required(`${path}.exec.command`, ''));
  }
  if (httpGet !== undefined && isFirst('httpGet')) validateHttpGet(found, httpGet, `${path}.httpGet`);
  if (tcpSocket !== undefined && isFirst('tcpSocket')) validatePort(found, tcpSocket.port, `${path}.tcpSocket.port`);
  if (grpc !== undefined && isFirst('grpc')) validatePort(found, grpc.port, `${path}.grpc.port`);
  if (sleep !== undefined && isFirst('sleep') && grace !== undefined && (sleep.seconds < 0 || sleep.seconds > grace)) {
    const text = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
    found.push(invalid(`${path}.sleep`, sleep.seconds, text));
  }
  if (handlers === 0) found.push(required(path, 'must specify a handler type'));
}

const SCHEMES = ['HTTP', 'HTTPS'];

function validateHttpGet(found: Findings, action: HTTPGetAction, path: string): void {
  const { path: target, port, scheme = '', httpHeaders } = action;
  if (!target) found.push(required(`${path}.path`, ''));
  validatePort(found, port, `${path}.port`);
  if (!SCHEMES.includes(scheme)) found.push(notSupported(`${path}.scheme`, scheme, SCHEMES));
  for (const { name } of listOf(httpHeaders)) {
    addTexts(found, `${path}.httpHeaders`, name, httpHeaderNameProblems(name));
  }
}

function validatePort(found: Findings, port: number | string | undefined, path: string): void {
  const texts = typeof port === 'string' ? portNameProblems(port) : portNumberProblems(port ?? 0);
  addTexts(found, path, port ?? 0, texts);
}

export function validateLifecycle(
  found: Findings,
  lifecycle: Lifecycle | undefined,
  grace: number | undefined,
  os: string | undefined,
  path: string,
): void {
  if (lifecycle === undefined) return;
  const { postStart, preStop, stopSignal } = lifecycle;
  if (postStart !== undefined) validateHandler(found, postStart, grace, `${path}.postStart`);
  if (preStop !== undefined) validateHandler(found, preStop, grace, `${path}.preStop`);
  if (stopSignal !== undefined) validateStopSignal(found, stopSignal, os, `${path}.stopSignal`);
}

const range = (count: number, text: (n: number) => string): readonly string[] =>
  Array.from({ length: count }, (_unused, n) => text(n + 1));

const LINUX_SIGNALS = [
  ...'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX'
    .split(' ')
    .map((name) => `SIG${name}`),
  ...range(15, (n) => `SIGRTMIN+${n}`),
  ...range(14, (n) => `SIGRTMAX-${n}`),
].toSorted();
const WINDOWS_SIGNALS = ['SIGKILL', 'SIGTERM'];

function validateStopSignal(found: Findings, signal: string, os: string | undefined, path: string): void {
  if (os === undefined) {
    found.push(forbidden(path, 'may not be set for containers with empty `spec.os.name`'));
    return;
  }
  const known = os === 'windows' ? WINDOWS_SIGNALS : os === 'linux' ? LINUX_SIGNALS : undefined;
  if (known !== undefined && !known.includes(signal)) found.push(notSupported(path, signal, known));
}
