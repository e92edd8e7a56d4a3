/**
 * Content negotiation: what the client can read (Accept) and what it sent (Content-Type). Kubernetes extends media
 * types with `as`, `g` and `v` parameters for tables, metadata-only answers and aggregated discovery.
 */
import { StatusError } from '../../core/kube/status-error.ts';

export type Format = 'json' | 'yaml' | 'protobuf';

/** Versions of meta.k8s.io in which tables and metadata come. */
type MetaVersion = 'v1' | 'v1beta1';

export interface Accepted {
  readonly format: Format;
  /** `Table`, `PartialObjectMetadata`, `PartialObjectMetadataList`, `APIGroupDiscoveryList`, or empty. */
  readonly as: string;
  readonly version: MetaVersion;
}

/** A transformation the answerer offers; clients name it in `as=…;g=…;v=…`. */
export interface Offer {
  readonly as: string;
  readonly group: string;
  readonly versions: readonly string[];
}

export const TRANSFORMS: readonly Offer[] = [
  { as: 'Table', group: 'meta.k8s.io', versions: ['v1', 'v1beta1'] },
  { as: 'PartialObjectMetadata', group: 'meta.k8s.io', versions: ['v1', 'v1beta1'] },
  { as: 'PartialObjectMetadataList', group: 'meta.k8s.io', versions: ['v1', 'v1beta1'] },
];
export const DISCOVERY: readonly Offer[] = [
  { as: 'APIGroupDiscoveryList', group: 'apidiscovery.k8s.io', versions: ['v2'] },
];

export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
const OBJECT_TYPES = `${JSON_TYPE}, ${YAML_TYPE}, ${PROTOBUF_TYPE}`;

interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const DEFAULT: Accepted = { format: 'json', as: '', version: 'v1' };
const cache = new Map<string, readonly MediaType[]>();

/** Protobuf forms that the answerer offers. */
export interface ProtobufOffer {
  /** False for custom kinds and for kinds that everynode adds, which have no protobuf form. */
  readonly object: boolean;
  /** Metadata of every kind has a protobuf form, but not every answerer writes it. */
  readonly metadata: boolean;
}

const METADATA: ReadonlySet<string> = new Set(['PartialObjectMetadata', 'PartialObjectMetadataList']);

/**
 * The first media type in the client's list that the server can write. JSON wins over protobuf where both are welcome
 * and JSON is cached.
 */
export function negotiate(
  accept: string | undefined,
  offers: readonly Offer[],
  protobufOf: ProtobufOffer = { object: true, metadata: false },
): Accepted {
  if (accept === undefined || accept === '') return DEFAULT;
  let protobuf: Accepted | undefined;
  for (const media of parseAccept(accept)) {
    const format = formatOf(media.type);
    if (format === undefined || media.quality === 0) continue;
    const as = media.parameters.get('as') ?? '';
    const version = media.parameters.get('v') ?? '';
    if (as !== '' && !isOffered(offers, as, media.parameters.get('g') ?? '', version)) continue;
    if (format === 'protobuf' && !(as === '' ? protobufOf.object : protobufOf.metadata && METADATA.has(as))) continue;
    const accepted: Accepted = { format, as, version: version === 'v1beta1' ? 'v1beta1' : 'v1' };
    if (format === 'protobuf' && as === '') protobuf ??= accepted;
    else return accepted;
  }
  if (protobuf !== undefined) return protobuf;
  // Custom kinds, which have no protobuf form, are not answered by Kubernetes' router.
  if (!protobufOf.object) {
    throw new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${OBJECT_TYPES}`);
  }
  throw new StatusError(
    406,
    'NotAcceptable',
    `406: Not Acceptable

Available representations: ${OBJECT_TYPES}`,
    {},
  );
}

const isOffered = (offers: readonly Offer[], as: string, group: string, version: string): boolean =>
  offers.some((offer) => offer.as === as && offer.group === group && offer.versions.includes(version));

function formatOf(type: string): Format | undefined {
  switch (type) {
    case JSON_TYPE:
    case '*/*':
    case 'application/*':
      return 'json';
    case YAML_TYPE:
    case 'application/x-yaml':
      return 'yaml';
    case PROTOBUF_TYPE:
      return 'protobuf';
    default:
      return undefined;
  }
}

function parseAccept(accept: string): readonly MediaType[] {
  const known = cache.get(accept);
  if (known !== undefined) return known;
  const parsed = accept.split(',', 32).map(parseMediaType);
  // Stable sort: equal quality keeps the client's order.
  parsed.sort((a, b) => b.quality - a.quality);
  if (cache.size > 256) cache.clear();
  if (accept.length < 2048) cache.set(accept, parsed);
  return parsed;
}

function parseMediaType(text: string): MediaType {
  const [type = '', ...rest] = text.split(';');
  const parameters = new Map<string, string>();
  for (const parameter of rest) {
    const equals = parameter.indexOf('=');
    if (equals > 0) parameters.set(parameter.slice(0, equals).trim().toLowerCase(), parameter.slice(equals + 1).trim());
  }
  const quality = Number(parameters.get('q') ?? '1');
  return { type: type.trim().toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
}

/** Format of a request body. No Content-Type means JSON, as Kubernetes has it. */
export function bodyFormat(contentType: string | undefined): Format {
  if (contentType === undefined || contentType === '') return 'json';
  const { type } = parseMediaType(contentType);
  const format = formatOf(type);
  if (format === undefined || type.endsWith('*')) throw unsupported(OBJECT_TYPES);
  return format;
}

export type PatchFormat = 'json' | 'merge' | 'strategic' | 'apply';

const PATCH_TYPES: ReadonlyMap<string, PatchFormat> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);

export function patchFormat(contentType: string | undefined, ofCustomKind = false): PatchFormat {
  const format = PATCH_TYPES.get(parseMediaType(contentType ?? '').type);
  // Users' types have no strategies, so Kubernetes does not take such a patch for them.
  if (format !== undefined && !(ofCustomKind && format === 'strategic')) return format;
  if (ofCustomKind)
    throw unsupported('application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml');
  // Of its own kinds Kubernetes' router says no by itself, before any handler knows better.
  throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

const unsupported = (accepted: string): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );
