/**
 * The annotation by which client-side apply remembers what it applied. An object that `kubectl apply` has managed goes
 * over to server-side apply without conflicts: what the annotation holds unchanged is the applier's own. As long as the
 * annotation is there, server-side apply keeps it up to date, so that the way back is open.
 */
import { encodeGoJson, type Json, type JsonObject, parseJson } from '../../kube/json.ts';
import { ANNOTATION_BYTES } from '../rules/metadata.ts';
import { utf8Length } from '../../kube/go-text.ts';
import { compare } from './compare.ts';
import { difference, type FieldSet } from './field-set.ts';
import type { Shape } from './shape.ts';
import { toFieldSet } from './to-field-set.ts';
import { validateConfiguration } from './validate.ts';
import { isMap, memberOf } from './values.ts';

const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** Only kubectl's own server-side apply looks at the annotation. */
export const LAST_APPLIED_MANAGER = 'kubectl';

function annotationsOf(object: Json): JsonObject | undefined {
  const metadata = isMap(object) ? memberOf(object, 'metadata') : undefined;
  const annotations = isMap(metadata) ? memberOf(metadata, 'annotations') : undefined;
  return isMap(annotations) ? annotations : undefined;
}

function lastAppliedOf(object: Json): string | undefined {
  const annotations = annotationsOf(object);
  const text = annotations === undefined ? undefined : memberOf(annotations, LAST_APPLIED_ANNOTATION);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** Fields that stand in the object as client-side apply left them; undefined where it never touched the object. */
export function fieldsOfLastApplied(shape: Shape, apiVersion: string, live: Json): FieldSet | undefined {
  const text = lastAppliedOf(live);
  if (text === undefined) return undefined;
  let applied: Json;
  try {
    applied = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isMap(applied) || memberOf(applied, 'apiVersion') !== apiVersion) return undefined;
  if (validateConfiguration(shape, applied).length > 0) return undefined;
  const { added, modified, removed } = compare(shape, applied, live);
  return [modified, added, removed].reduce(difference, toFieldSet(shape, applied));
}

/** The object with the annotation brought up to date; itself where it has none. */
export function withLastApplied(object: Json, configuration: Json): Json {
  if (lastAppliedOf(object) === undefined || !isMap(object)) return object;
  const text = `${encodeGoJson(withoutAnnotation(configuration), { sortKeys: true })}\n`;
  const annotations: { [key: string]: Json | undefined } = {
    ...annotationsOf(object),
    [LAST_APPLIED_ANNOTATION]: text,
  };
  let size = 0;
  for (const [key, value] of Object.entries(annotations))
    size += utf8Length(key) + (typeof value === 'string' ? utf8Length(value) : 0);
  if (size > ANNOTATION_BYTES) delete annotations[LAST_APPLIED_ANNOTATION];
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), annotations } };
}

function withoutAnnotation(configuration: Json): Json {
  const annotations = annotationsOf(configuration);
  if (annotations === undefined || !isMap(configuration)) return configuration;
  const { [LAST_APPLIED_ANNOTATION]: _, ...rest } = annotations;
  return { ...configuration, metadata: { ...(configuration['metadata'] as JsonObject), annotations: rest } };
}
