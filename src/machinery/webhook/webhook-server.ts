/**
 * Admission plugins behind HTTPS, for API servers that are not ours. The same plugin that stands in the embedded chain
 * answers AdmissionReviews here, each at two paths: `/mutate/NAME` and `/validate/NAME`. What cannot be understood or
 * goes wrong is an HTTP error, never a "yes" or a "no": the failure policy of the webhook decides then.
 *
 * review.ts reads questions and writes answers, object-patch.ts makes patches, certificates/ brings the certificate and
 * keeps it fresh. A new certificate holds for new connections; those that are open go on.
 */
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { encodeJson, JsonSyntaxError, parseJson } from '../../core/kube/json.ts';
import { MAX_REQUEST_BYTES } from '../../core/kube/request-limit.ts';
import { parseGoDuration } from '../../core/kube/time.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { abortAfter, aborted, orAborted } from '../time/abort.ts';
import type { Actor } from '../actor.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../ports/admission.ts';
import { expiryOf, type KeyPair } from '../certificates/certificates.ts';
import type { Clock } from '../time/clock.ts';
import { guardConnections, type ConnectionGuard } from '../connections/connection-guard.ts';
import { connectionLimits, type ConnectionLimits } from '../connections/connection-limits.ts';
import { createGate } from '../structures/gate.ts';
import { silentLogger, type Logger } from '../logging/logger.ts';
import { noMetrics, type Metrics } from '../metrics/metrics.ts';
import { readBody } from './read-body.ts';
import { decodeReview, encodeAnswer, ReviewError, type AdmissionPhase } from './review.ts';
import { webhookMetrics } from './webhook-metrics.ts';

export interface WebhookServerOptions {
  readonly clock: Clock;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly plugins: readonly AdmissionPlugin[];
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Default: two objects of the largest request (old and new), and 2 MiB for the review around them. */
  readonly maxBodyBytes?: number;
  /** More at the same time are turned away, before they fill the memory. */
  readonly maxInFlight?: number;
  /** From the descriptors that the process may have, unless told. A peer has proved itself with a review that was answered. */
  readonly connections?: Partial<ConnectionLimits>;
  /** How long requests under way may take to end when the server stops. */
  readonly stopTimeoutMs?: number;
  /** For so long those who have a connection are still answered, and told to go elsewhere with the next. */
  readonly lingerMs?: number;
}

export interface WebhookServer extends Actor {
  /** From now on, for new connections. Throws when key and certificate are no pair. */
  useCertificate(pair: KeyPair): void;
  /** Open, with a certificate that is still good. */
  ready(): boolean;
  /** The port, once it is open: after the first certificate. */
  readonly listening: Promise<number>;
}

const MAX_BODY = 2 * MAX_REQUEST_BYTES + 2 * 1024 * 1024;
const MAX_IN_FLIGHT = 256;
/** The longest an API server waits. */
const LONGEST_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 8_000;
const LINGER_MS = 3_000;
const LOOK_EVERY_MS = 20;
/** Longer than the 90 s for which Go's client keeps an idle connection: whoever closes first must not be us. */
const KEEP_ALIVE_MS = 120_000;

export const webhookPath = (phase: AdmissionPhase, plugin: string): string => `/${phase}/${encodeURIComponent(plugin)}`;

interface Route {
  readonly plugin: AdmissionPlugin;
  readonly phase: AdmissionPhase;
  readonly ask: (request: AdmissionRequest) => AdmissionResponse | Promise<AdmissionResponse>;
}

export function createWebhookServer(options: WebhookServerOptions): WebhookServer {
  const { clock, address, port } = options;
  const logger = options.logger ?? silentLogger;
  const maxBody = options.maxBodyBytes ?? MAX_BODY;
  const maxInFlight = options.maxInFlight ?? MAX_IN_FLIGHT;
  const metrics = webhookMetrics(options.metrics ?? noMetrics);
  const routes = routesOf(options.plugins);
  const hasCertificate = createGate();
  const opened = Promise.withResolvers<number>();
  let pair: (KeyPair & { readonly expires: number }) | undefined;
  let server: Server | undefined;
  let isOpen = false;
  let isStopping = false;
  let inFlight = 0;
  let guard: ConnectionGuard | undefined;
  let idle: (() => void) | undefined;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'https://webhook');
    const route = routes.get(url.pathname);
    if (route === undefined) return refuse(response, 404, 'no such webhook');
    const began = clock.monotonic();
    const { status, text, json } = await answer(route, request, url).catch((error: unknown) => {
      logger.error('An admission plugin failed', { plugin: route.plugin.name, error });
      return { status: 500, text: `the plugin ${route.plugin.name} failed`, json: undefined };
    });
    metrics.answered(webhookPath(route.phase, route.plugin.name), status, (clock.monotonic() - began) / 1000);
    if (json === undefined) return refuse(response, status, text);
    send(response, status, 'application/json', json);
  }

  interface Outcome {
    readonly status: number;
    readonly text: string;
    readonly json?: string | undefined;
  }

  async function answer(route: Route, request: IncomingMessage, url: URL): Promise<Outcome> {
    if (request.method !== 'POST') return { status: 405, text: 'only POST is served here' };
    const type = request.headers['content-type'] ?? '';
    if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
      return { status: 415, text: 'the content type must be application/json' };
    }
    if (inFlight > maxInFlight) return { status: 429, text: 'too many requests at the same time' };
    using deadline = abortAfter(clock, timeoutOf(url));
    try {
      const body = await orAborted(readBody(request, maxBody), deadline.signal);
      if (body === undefined) return { status: 413, text: `the body is larger than ${maxBody} bytes` };
      const review = decodeReview(parseJson(body.toString('utf8')));
      const asked = route.plugin.handles(review.request) ? ask(route, review.request) : ALLOWED;
      const given = asked instanceof Promise ? await orAborted(asked, deadline.signal) : asked;
      return { status: 200, text: '', json: encodeJson(encodeAnswer(review, route.phase, given)) };
    } catch (error) {
      if (deadline.signal.aborted) return { status: 504, text: 'it took longer than the API server waits' };
      if (error instanceof ReviewError || error instanceof JsonSyntaxError) {
        return { status: 400, text: error.message };
      }
      throw error;
    }
  }

  function refuse(response: ServerResponse, status: number, text: string): void {
    if (status === 405) response.setHeader('allow', 'POST');
    send(response, status, 'text/plain; charset=utf-8', `${text}\n`);
  }

  function send(response: ServerResponse, status: number, type: string, text: string): void {
    if (response.destroyed) return;
    // The client comes back on a new connection, to somebody else.
    if (isStopping) response.setHeader('connection', 'close');
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      'x-content-type-options': 'nosniff',
    });
    response.end(text);
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = guard?.of(request.socket);
    if (connection !== undefined) guard?.began(connection);
    inFlight += 1;
    let isOver = false;
    response.on('close', () => {
      if (isOver) return;
      isOver = true;
      inFlight -= 1;
      if (connection !== undefined) {
        if (response.statusCode === 200) guard?.proved(connection);
        guard?.ended(connection);
      }
      if (inFlight === 0) idle?.();
    });
    serve(request, response).catch((error: unknown) => {
      logger.warn('A webhook request came to nothing', { error });
      response.destroy();
    });
  }

  /**
   * A connection that is closed under a request is a request that fails, and API servers keep connections. So every answer now
   * ends its connection, and only those on which nobody has asked for a while are cut.
   */
  async function linger(): Promise<void> {
    const end = clock.monotonic() + (options.lingerMs ?? LINGER_MS);
    while ((guard?.size ?? 0) > 0 && clock.monotonic() < end) await clock.sleep(LOOK_EVERY_MS);
  }

  async function close(running: Server): Promise<void> {
    isStopping = true;
    isOpen = false;
    await linger();
    const closed = new Promise<void>((resolve) => running.close(() => resolve()));
    running.closeIdleConnections();
    const ended = inFlight === 0 ? Promise.resolve() : new Promise<void>((resolve) => (idle = resolve));
    using limit = abortAfter(clock, options.stopTimeoutMs ?? STOP_TIMEOUT_MS);
    await Promise.race([ended, aborted(limit.signal)]);
    if (inFlight > 0) logger.warn('Webhook requests were cut off at the end', { requests: inFlight });
    running.closeAllConnections();
    await closed;
    guard?.close();
  }

  return {
    name: 'webhook-server',
    listening: opened.promise,

    useCertificate(next) {
      // Throws before anything is changed.
      createSecureContext({ cert: next.certificate, key: next.key });
      pair = { ...next, expires: expiryOf(next.certificate) };
      server?.setSecureContext({ cert: next.certificate, key: next.key, minVersion: 'TLSv1.2' });
      hasCertificate.open();
    },

    ready: () => isOpen && pair !== undefined && clock.now() < pair.expires,

    async start(signal) {
      await Promise.race([hasCertificate.opened, aborted(signal)]);
      if (signal.aborted || pair === undefined) return;
      const limits = { ...connectionLimits(), idleMs: KEEP_ALIVE_MS, ...options.connections };
      const running = createServer(
        {
          handshakeTimeout: limits.handshakeMs,
          cert: pair.certificate,
          key: pair.key,
          minVersion: 'TLSv1.2',
          keepAliveTimeout: KEEP_ALIVE_MS,
          headersTimeout: 10_000,
          requestTimeout: LONGEST_TIMEOUT_MS + 5_000,
        },
        onRequest,
      );
      server = running;
      const guarding = { limits, tls: true, server: 'webhook', clock, logger, metrics: options.metrics ?? noMetrics };
      guard = guardConnections(running, guarding);
      running.on('tlsClientError', (error) => logger.debug('A TLS handshake failed', { error: error.message }));
      await new Promise<void>((resolve, reject) => {
        running.once('error', reject);
        running.listen(port, address, () => resolve());
      });
      isOpen = true;
      opened.resolve((running.address() as AddressInfo).port);
      logger.info('Serving admission webhooks', { address, port: (running.address() as AddressInfo).port });
      await aborted(signal);
      await close(running);
    },
  };
}

const ALLOWED: AdmissionResponse = { allowed: true };

/** A plugin may also throw its refusal, as it may in the chain. */
function ask(route: Route, request: AdmissionRequest): AdmissionResponse | Promise<AdmissionResponse> {
  const refused = (error: unknown): AdmissionResponse => {
    if (error instanceof StatusError) return { allowed: false, error };
    throw error;
  };
  try {
    const answer = route.ask(request);
    return answer instanceof Promise ? answer.catch(refused) : answer;
  } catch (error) {
    return refused(error);
  }
}

function routesOf(plugins: readonly AdmissionPlugin[]): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  for (const plugin of plugins) {
    if (plugin.mutate !== undefined) {
      const ask = (request: AdmissionRequest) => plugin.mutate?.(request) ?? ALLOWED;
      routes.set(webhookPath('mutate', plugin.name), { plugin, phase: 'mutate', ask });
    }
    if (plugin.validate !== undefined) {
      const ask = (request: AdmissionRequest) => plugin.validate?.(request) ?? ALLOWED;
      routes.set(webhookPath('validate', plugin.name), { plugin, phase: 'validate', ask });
    }
  }
  return routes;
}

/** How long the API server waits, as it says in the query. */
function timeoutOf(url: URL): number {
  const asked = url.searchParams.get('timeout');
  if (asked === null || asked.length > 32) return LONGEST_TIMEOUT_MS;
  const ms = parseGoDuration(asked);
  return ms === undefined || !(ms > 0) ? LONGEST_TIMEOUT_MS : Math.min(ms, LONGEST_TIMEOUT_MS);
}
