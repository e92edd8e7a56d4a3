/** Answers AdmissionReviews with plugins: from an HTTP request to the status and body of its answer. */
import type { IncomingMessage } from 'node:http';
import { encodeJson, JsonSyntaxError, parseJson } from '../../core/kube/json.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { parseGoDuration } from '../../core/kube/time.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../ports/admission.ts';
import { abortAfter, orAborted } from '../time/abort.ts';
import type { Clock } from '../time/clock.ts';
import { readBody } from './read-body.ts';
import { decodeReview, encodeAnswer, ReviewError, type AdmissionPhase } from './review.ts';

/** The longest an API server waits. */
export const LONGEST_TIMEOUT_MS = 30_000;

export const webhookPath = (phase: AdmissionPhase, plugin: string): string => `/${phase}/${encodeURIComponent(plugin)}`;

export interface Route {
  readonly plugin: AdmissionPlugin;
  readonly phase: AdmissionPhase;
  readonly ask: (request: AdmissionRequest) => AdmissionResponse | Promise<AdmissionResponse>;
}

export interface Outcome {
  readonly status: number;
  /** The body of a refusal. */
  readonly text: string;
  /** The AdmissionReview; absent with every status but 200. */
  readonly json?: string | undefined;
}

const ALLOWED: AdmissionResponse = { allowed: true };

export async function answerReview(
  route: Route,
  request: IncomingMessage,
  url: URL,
  { clock, maxBodyBytes, isBusy }: { readonly clock: Clock; readonly maxBodyBytes: number; readonly isBusy: boolean },
): Promise<Outcome> {
  if (request.method !== 'POST') return { status: 405, text: 'only POST is served here' };
  const type = request.headers['content-type'] ?? '';
  if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    return { status: 415, text: 'the content type must be application/json' };
  }
  if (isBusy) return { status: 429, text: 'too many requests at the same time' };
  using deadline = abortAfter(clock, timeoutOf(url));
  try {
    const body = await orAborted(readBody(request, maxBodyBytes), deadline.signal);
    if (body === undefined) return { status: 413, text: `the body is larger than ${maxBodyBytes} bytes` };
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

/** By path. */
export function routesOf(plugins: readonly AdmissionPlugin[]): ReadonlyMap<string, Route> {
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

/** The API server's own timeout, which it sends in the query. */
function timeoutOf(url: URL): number {
  const asked = url.searchParams.get('timeout');
  if (asked === null || asked.length > 32) return LONGEST_TIMEOUT_MS;
  const ms = parseGoDuration(asked);
  return ms === undefined || !(ms > 0) ? LONGEST_TIMEOUT_MS : Math.min(ms, LONGEST_TIMEOUT_MS);
}
