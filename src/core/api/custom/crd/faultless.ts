/**
 * Schemas in which the strictest rules found nothing. Versions and groups may share one, and a large one takes long to look
 * at. Remembered by identity, since objects never change.
 */
import type { JSONSchemaProps } from '../../types/apiextensions-v1.ts';

const FAULTLESS = new WeakSet<JSONSchemaProps>();

export const isFaultless = (schema: JSONSchemaProps): boolean => FAULTLESS.has(schema);

/** Also for schemas of our own, which tests have validated: no start waits for that again. */
export const trustSchema = (schema: JSONSchemaProps): void => void FAULTLESS.add(schema);
