/** Probes and lifecycle hooks. */
import { integer, list, long, object, oneOf, optional, port, required, text } from './language.ts';

const numberOrName = {
  portNumber: optional(port, 'Port by number'),
  portName: optional(text('port-name'), 'Port by name'),
};
const PORT_FORM = { form: 'port', alternatives: ['portNumber', 'portName'], isAlternativeRequired: true } as const;

const httpGet = object(
  'HttpGet',
  {
    path: optional(text(), 'Path to ask for', { default: '`/`' }),
    ...numberOrName,
    host: optional(text(), 'Host to connect to', { default: "the pod's address" }),
    scheme: optional(oneOf('HTTP', 'HTTPS'), 'Scheme', { default: '`HTTP`' }),
    httpHeaders: optional(
      list(
        object('HttpHeader', {
          name: required(text(), 'Name'),
          value: required(text(), 'Value'),
        }),
      ),
      'Headers to send',
    ),
  },
  PORT_FORM,
);

const tcpSocket = object(
  'TcpSocket',
  { ...numberOrName, host: optional(text(), 'Host to connect to', { default: "the pod's address" }) },
  PORT_FORM,
);

const exec = object('Exec', { command: required(list(text(), { minItems: 1 }), 'Program and arguments; no shell') });

const grpc = object('Grpc', {
  port: required(port, 'Port'),
  service: optional(text(), 'Service to ask about'),
});

const HANDLERS = ['httpGet', 'grpc', 'tcpSocket', 'exec'];

export const probe = object(
  'Probe',
  {
    initialDelaySeconds: optional(integer(0), 'Wait before the first probe'),
    periodSeconds: optional(integer(1), 'Time between two', { default: '10' }),
    timeoutSeconds: optional(integer(1), 'Time for an answer', { default: '1' }),
    successThreshold: optional(integer(1), 'Successes in a row that count', { default: '1' }),
    failureThreshold: optional(integer(1), 'Failures in a row that count', { default: '3' }),
    terminationGracePeriodSeconds: optional(long(1), 'Grace when this probe ends the container'),
    httpGet: optional(httpGet, 'Ask over HTTP'),
    grpc: optional(grpc, 'Ask over gRPC'),
    tcpSocket: optional(tcpSocket, 'Connect'),
    exec: optional(exec, 'Run a program in the container'),
  },
  { alternatives: HANDLERS, isAlternativeRequired: true },
);

const hook = object(
  'LifecycleHandler',
  {
    exec: optional(exec, 'Run a program in the container'),
    httpGet: optional(httpGet, 'Ask over HTTP'),
    tcpSocket: optional(tcpSocket, 'Connect'),
    sleep: optional(object('Sleep', { seconds: required(long(0), 'How long') }), 'Wait'),
  },
  { alternatives: ['exec', 'httpGet', 'tcpSocket', 'sleep'], isAlternativeRequired: true },
);

export const lifecycle = object('Lifecycle', {
  postStart: optional(hook, 'Right after the container has started'),
  preStop: optional(hook, 'Before it is stopped; its time counts as grace'),
});
