/**
 * Admission plugins behind HTTPS, for API servers that are not ours. The same plugin that stands in the embedded chain
 * answers AdmissionReviews here, each at two paths: `/mutate/NAME` and `/validate/NAME`. A review that cannot be understood or
 * goes wrong is an HTTP error, never a "yes" or a "no": the failure policy of the webhook decides then.
 *
 * answer-review.ts answers one request, review.ts reads questions and writes answers, object-patch.ts makes patches,
 * certificates/ brings the certificate and keeps it fresh. A new certificate holds for new connections; open ones go on.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { MAX_REQUEST_BYTES } from '../../core/kube/request-limit.ts';
import type { Actor } from '../actor.ts';
import { expiryOf, type KeyPair } from '../certificates/certificates.ts';
import { guardConnections, type ConnectionGuard } from '../connections/connection-guard.ts';
import { connectionLimits, type ConnectionLimits } from '../connections/connection-limits.ts';
import { silentLogger, type Logger } from '../logging/logger.ts';
import { noMetrics, type Metrics } from '../metrics/metrics.ts';
import type { AdmissionPlugin } from '../ports/admission.ts';
import { createGate } from '../structures/gate.ts';
import { abortAfter, aborted } from '../time/abort.ts';
import type { Clock } from '../time/clock.ts';
import { answerReview, LONGEST_TIMEOUT_MS, routesOf, webhookPath, type Route } from './answer-review.ts';
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
  /** Further requests at the same time are answered with 429, before they fill the memory. */
  readonly maxInFlight?: number;
  /** By default from the descriptors that the process may have. A peer is proven by a review that was answered. */
  readonly connections?: Partial<ConnectionLimits>;
  /** How long requests under way may take to end when the server stops. */
  readonly stopTimeoutMs?: number;
  /** How long clients with a connection are still answered after a stop, and told to open the next elsewhere. */
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
const STOP_TIMEOUT_MS = 8_000;
const LINGER_MS = 3_000;
const LINGER_POLL_MS = 20;
/** Longer than the 90 s for which Go's client keeps an idle connection: the client closes first, so that no request meets a closed connection. */
const KEEP_ALIVE_MS = 120_000;

export const createWebhookServer = (options: WebhookServerOptions): WebhookServer => new AdmissionServer(options);

class AdmissionServer implements WebhookServer {
  readonly name = 'webhook-server';
  readonly listening: Promise<number>;
  readonly #options: WebhookServerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: ReturnType<typeof webhookMetrics>;
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #opened = Promise.withResolvers<number>();
  /** Opens with the first certificate; the port opens after it. */
  readonly #hasCertificate = createGate();
  /** The newest certificate. */
  #pair: (KeyPair & { readonly expires: number }) | undefined = undefined;
  /** Set, with its guard, when the server was started and has a certificate. */
  #server: Server | undefined = undefined;
  #guard: ConnectionGuard | undefined = undefined;
  /** The port is open, and no stop has begun. */
  #isOpen = false;
  /** Every answer from now on ends its connection. */
  #isStopping = false;
  /** Requests whose response is not closed yet. */
  #inFlight = 0;
  /** Set while a stop waits for the last request. */
  #onIdle: (() => void) | undefined = undefined;

  constructor(options: WebhookServerOptions) {
    const { clock, logger = silentLogger, metrics = noMetrics } = options;
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#metrics = webhookMetrics(metrics);
    this.#routes = routesOf(options.plugins);
    this.listening = this.#opened.promise;
  }

  /** A field: certificate sources take the function alone. */
  readonly useCertificate = (next: KeyPair): void => {
    // Throws before anything is changed.
    createSecureContext({ cert: next.certificate, key: next.key });
    this.#pair = { ...next, expires: expiryOf(next.certificate) };
    this.#server?.setSecureContext({ cert: next.certificate, key: next.key, minVersion: 'TLSv1.2' });
    this.#hasCertificate.open();
  };

  ready(): boolean {
    return this.#isOpen && this.#pair !== undefined && this.#clock.now() < this.#pair.expires;
  }

  async start(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#hasCertificate.opened, aborted(signal)]);
    if (signal.aborted || this.#pair === undefined) return;
    const { address, port } = this.#options;
    const server = this.#createServer(this.#pair);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, address, () => resolve());
    });
    const bound = (server.address() as AddressInfo).port;
    this.#isOpen = true;
    this.#opened.resolve(bound);
    this.#logger.info('Serving admission webhooks', { address, port: bound });
    await aborted(signal);
    await this.#close(server);
  }

  #createServer(pair: KeyPair): Server {
    const { metrics = noMetrics, connections } = this.#options;
    const [clock, logger] = [this.#clock, this.#logger];
    const limits = { ...connectionLimits(), idleMs: KEEP_ALIVE_MS, ...connections };
    const server = createServer(
      {
        handshakeTimeout: limits.handshakeMs,
        cert: pair.certificate,
        key: pair.key,
        minVersion: 'TLSv1.2',
        keepAliveTimeout: KEEP_ALIVE_MS,
        headersTimeout: 10_000,
        requestTimeout: LONGEST_TIMEOUT_MS + 5_000,
      },
      (request, response) => this.#onRequest(request, response),
    );
    this.#server = server;
    this.#guard = guardConnections(server, { limits, tls: true, server: 'webhook', clock, logger, metrics });
    server.on('tlsClientError', (error) => logger.debug('A TLS handshake failed', { error: error.message }));
    return server;
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const guard = this.#guard;
    const connection = guard?.of(request.socket);
    if (connection !== undefined) guard?.began(connection);
    this.#inFlight += 1;
    response.once('close', () => {
      this.#inFlight -= 1;
      if (connection !== undefined) {
        if (response.statusCode === 200) guard?.proved(connection);
        guard?.ended(connection);
      }
      if (this.#inFlight === 0) this.#onIdle?.();
    });
    this.#serve(request, response).catch((error: unknown) => {
      this.#logger.warn('A webhook request came to nothing', { error });
      response.destroy();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const clock = this.#clock;
    const { maxBodyBytes = MAX_BODY, maxInFlight = MAX_IN_FLIGHT } = this.#options;
    const url = new URL(request.url ?? '/', 'https://webhook');
    const route = this.#routes.get(url.pathname);
    if (route === undefined) return this.#refuse(response, 404, 'no such webhook');
    const began = clock.monotonic();
    const isBusy = this.#inFlight > maxInFlight;
    const answered = answerReview(route, request, url, { clock, maxBodyBytes, isBusy });
    const { status, text, json } = await answered.catch((error: unknown) => {
      this.#logger.error('An admission plugin failed', { plugin: route.plugin.name, error });
      return { status: 500, text: `the plugin ${route.plugin.name} failed`, json: undefined };
    });
    this.#metrics.answered(webhookPath(route.phase, route.plugin.name), status, (clock.monotonic() - began) / 1000);
    if (json === undefined) return this.#refuse(response, status, text);
    this.#send(response, status, 'application/json', json);
  }

  #refuse(response: ServerResponse, status: number, text: string): void {
    if (status === 405) response.setHeader('allow', 'POST');
    this.#send(response, status, 'text/plain; charset=utf-8', `${text}\n`);
  }

  #send(response: ServerResponse, status: number, type: string, text: string): void {
    if (response.destroyed) return;
    // The client comes back on a new connection, to another replica.
    if (this.#isStopping) response.setHeader('connection', 'close');
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      'x-content-type-options': 'nosniff',
    });
    response.end(text);
  }

  async #close(server: Server): Promise<void> {
    this.#isStopping = true;
    this.#isOpen = false;
    await this.#linger();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const ended = this.#inFlight === 0 ? Promise.resolve() : new Promise<void>((resolve) => (this.#onIdle = resolve));
    using limit = abortAfter(this.#clock, this.#options.stopTimeoutMs ?? STOP_TIMEOUT_MS);
    await Promise.race([ended, aborted(limit.signal)]);
    if (this.#inFlight > 0) {
      this.#logger.warn('Webhook requests were cut off at the end', { requests: this.#inFlight });
    }
    server.closeAllConnections();
    await closed;
    this.#guard?.close();
  }

  /**
   * A connection that is closed under a request is a request that fails, and API servers keep connections. So every answer now
   * ends its connection, and only connections without a request for a while are cut.
   */
  async #linger(): Promise<void> {
    const end = this.#clock.monotonic() + (this.#options.lingerMs ?? LINGER_MS);
    while ((this.#guard?.size ?? 0) > 0 && this.#clock.monotonic() < end) await this.#clock.sleep(LINGER_POLL_MS);
  }
}
