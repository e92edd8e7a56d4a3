/** Conversion by webhook: a ConversionReview goes out, the objects come back, and nothing but their content may differ. */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import { validateAnnotations, validateLabels } from '../../core/api/rules/metadata.ts';
import type { WebhookConversion } from '../../core/api/types/apiextensions-v1.ts';
import { isBag } from '../../core/api/custom/schema/shape.ts';
import { aggregateMessage } from '../../core/kube/field-errors.ts';
import { goQuote } from '../../core/kube/go-text.ts';
import { deepEqual } from '../../core/kube/immutable.ts';
import { encodeJson, type Json } from '../../core/kube/json.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import type { WebhookCaller, WebhookTarget } from '../../machinery/client/http/webhook-caller.ts';
import type { Random } from '../../machinery/random/random.ts';
import type { ConvertObjects } from './conversion.ts';

export interface ConversionWebhookOptions {
  readonly caller: WebhookCaller;
  readonly random: Random;
  /** Where a service can be reached; the address its name says unless told. */
  readonly connectTo?: (service: {
    readonly namespace: string;
    readonly name: string;
    readonly port: number;
  }) => { readonly host: string; readonly port: number } | undefined;
}

const TIMEOUT_MS = 30_000;
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

export function createConversionWebhook(options: ConversionWebhookOptions): ConvertObjects {
  return async (kind, objects, desiredAPIVersion) => {
    const webhook = kind.custom?.webhook;
    const [first] = objects;
    if (webhook === undefined || first === undefined) return objects;
    const what = `conversion webhook for ${gvkText(first)}`;
    const uid = options.random.uuid();
    const version = webhook.conversionReviewVersions.find((each) => REVIEW_VERSIONS.includes(each));
    if (version === undefined) {
      throw failed(`no supported conversion review versions: ${webhook.conversionReviewVersions.join(', ')}`);
    }
    const review = {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid, desiredAPIVersion, objects },
    };
    let answer: Json;
    try {
      answer = await options.caller.call(targetOf(webhook, options), review as unknown as Json, TIMEOUT_MS);
    } catch (error) {
      throw failed(`${what} failed: ${(error as Error).message}`);
    }
    const converted = convertedObjects(answer, review.apiVersion, uid, what);
    if (converted.length !== objects.length) {
      throw failed(`${what} returned ${converted.length} objects, expected ${objects.length}`);
    }
    return objects.map((original, i) =>
      checked(
        kind,
        original,
        converted[i] ?? null,
        desiredAPIVersion,
        `${what} returned invalid converted object at index ${i}`,
      ),
    );
  };
}

const failed = (message: string): StatusError => new StatusError(500, '', message);

/** `stable.example.com/v1, Kind=CronTab` */
const gvkText = ({ apiVersion, kind }: KubeObject): string => `${apiVersion}, Kind=${kind}`;

function targetOf({ clientConfig = {} }: WebhookConversion, { connectTo }: ConversionWebhookOptions): WebhookTarget {
  const ca = clientConfig.caBundle ? { ca: Buffer.from(clientConfig.caBundle, 'base64').toString('utf8') } : {};
  const { service } = clientConfig;
  if (service === undefined) return { url: clientConfig.url ?? '', ...ca };
  const { name, namespace, path = '', port = 443 } = service;
  const address = connectTo?.({ namespace, name, port });
  return {
    url: `https://${name}.${namespace}.svc:${port}${path === '' ? '/' : path}`,
    ...ca,
    ...(address === undefined ? {} : { connectTo: address }),
  };
}

function convertedObjects(answer: Json, apiVersion: string, uid: string, what: string): readonly Json[] {
  const wrong = (text: string): StatusError => failed(`${what} failed: ${text}`);
  if (!isBag(answer) || answer['kind'] !== 'ConversionReview' || answer['apiVersion'] !== apiVersion) {
    throw wrong(
      `expected webhook response of ${apiVersion}, Kind=ConversionReview, got ${isBag(answer) ? `${shown(answer['apiVersion'])}, Kind=${shown(answer['kind'])}` : 'something else'}`,
    );
  }
  const { response } = answer;
  if (!isBag(response)) throw wrong('no response provided');
  if (apiVersion.endsWith('/v1') && response['uid'] !== uid) {
    throw wrong(`expected response.uid=${goQuote(uid)}, got ${goQuote(shown(response['uid']))}`);
  }
  const { result } = response;
  if (!isBag(result) || result['status'] !== 'Success') {
    const message = isBag(result) && typeof result['message'] === 'string' ? result['message'] : '';
    throw wrong(message === '' ? `response.result.status was ${goQuote(statusOf(result))}, not 'Success'` : message);
  }
  const { convertedObjects: objects } = response;
  return Array.isArray(objects) ? (objects as readonly Json[]) : [];
}

/** The text of a webhook's value where a string was expected. */
const shown = (value: unknown): string => (typeof value === 'string' ? value : encodeJson((value ?? '') as Json));

const statusOf = (result: unknown): string =>
  isBag(result) && typeof result['status'] === 'string' ? result['status'] : '';

/** The object with its own metadata again; of metadata a webhook may only change labels and annotations. */
function checked(
  kind: KindDefinition,
  original: KubeObject,
  converted: Json,
  apiVersion: string,
  what: string,
): KubeObject {
  const wrong = (text: string): StatusError => failed(`${what}: ${text}`);
  if (!isBag(converted)) throw wrong('not an object');
  if (converted['apiVersion'] !== apiVersion) {
    throw wrong(`invalid groupVersion (expected ${apiVersion}, received ${shown(converted['apiVersion'])})`);
  }
  if (converted['kind'] !== kind.kind) {
    throw wrong(`invalid kind (expected ${kind.kind}, received ${shown(converted['kind'])})`);
  }
  const { metadata } = converted;
  if (!isBag(metadata)) throw wrong('missing metadata in converted object');
  for (const [name, word] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [before, after] = [original.metadata[name] ?? '', metadata[name] ?? ''];
    if (before !== after) throw wrong(`must have the same ${word}: ${before} != ${shown(after)}`);
  }
  const { annotations: _annotations, labels: _labels, ...kept } = original.metadata;
  const restored = {
    ...kept,
    ...texts('labels', original.metadata.labels, metadata, wrong),
    ...texts('annotations', original.metadata.annotations, metadata, wrong),
  };
  return { ...(converted as unknown as KubeObject), metadata: restored };
}

function texts(
  name: 'labels' | 'annotations',
  before: { readonly [key: string]: string } | undefined,
  metadata: { readonly [key: string]: unknown },
  wrong: (text: string) => StatusError,
): { readonly [key: string]: { readonly [key: string]: string } } {
  const value = metadata[name];
  if (value === undefined || value === null) return {};
  if (!isBag(value)) throw wrong(`invalid metadata.${name} in converted object`);
  for (const [key, each] of Object.entries(value)) {
    if (typeof each !== 'string') throw wrong(`metadata.${name}[${key}] must be a string in converted object`);
  }
  const map = value as { readonly [key: string]: string };
  if (!deepEqual(before, map)) {
    const errors =
      name === 'labels' ? validateLabels(map, 'metadata.labels') : validateAnnotations(map, 'metadata.annotation');
    if (errors.length > 0) throw wrong(aggregateMessage(errors));
  }
  return { [name]: map };
}
