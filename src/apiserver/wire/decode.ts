/**
 * Request bodies, from bytes to a plain JSON value. Malformed input ends here with a 400 that says where; nothing
 * beyond this file sees bytes.
 */
import { badRequest, StatusError } from '../../core/kube/status-error.ts';
import { parseJson, type Json } from '../../core/kube/json.ts';
import { mayRepeatKeys } from '../../core/kube/json-scan.ts';
import type { Clock } from '../../machinery/clock.ts';
import type { Format } from './negotiate.ts';
import { decodeProtobufObject } from '../../core/api/schema/protobuf/envelope.ts';
import { decodeYaml } from './yaml.ts';

export interface DecodedBody {
  readonly value: Json;
  /** The JSON it was read from; absent for other formats. */
  readonly text?: string;
  /** What YAML gave twice, in its own words; of JSON it is found out by those who want to know. */
  readonly duplicates?: readonly string[];
}

/** What is said of a body whose kind is not known. */
const ANYTHING = 'runtime.Object';

/** A promise only for what has to wait: JSON is there at once, and each turn that a request takes is felt. */
export function decodeBody(
  bytes: Buffer,
  format: Format,
  clock: Clock,
  expected = ANYTHING,
): DecodedBody | Promise<DecodedBody> {
  switch (format) {
    case 'json': {
      const text = bytes.toString('utf8');
      return { value: decodeJsonText(text, expected), text };
    }
    case 'yaml':
      return decodeYamlBody(bytes, clock, expected);
    case 'protobuf':
      try {
        return { value: decodeProtobufObject(bytes) as unknown as Json };
      } catch (error) {
        throw malformed(error, expected);
      }
  }
}

export function decodeJsonText(text: string, expected = ANYTHING): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw malformed(error, expected);
  }
}

/** JSON is YAML, and most clients send exactly that under a YAML type: the quick parser goes first. */
export async function decodeYamlBody(bytes: Buffer, clock: Clock, expected = ANYTHING): Promise<DecodedBody> {
  const text = bytes.toString('utf8');
  if (/^\s*[{[]/.test(text.slice(0, 64))) {
    try {
      const value = parseJson(text);
      // What is said of a repeated key depends on the type it was sent under.
      if (!mayRepeatKeys(text, value)) return { value };
    } catch {
      // Not JSON after all; flow-style YAML may still be.
    }
  }
  try {
    return await decodeYaml(text, clock);
  } catch (error) {
    throw malformed(error, expected);
  }
}

const malformed = (error: unknown, expected: string): StatusError =>
  error instanceof StatusError
    ? error
    : badRequest(
        `the object provided is unrecognized (must be of type ${expected}): couldn't get version/kind; ${error instanceof Error ? error.message : String(error)}`,
      );
