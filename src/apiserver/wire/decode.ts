/**
 * Request bodies, from bytes to a plain JSON value. Malformed input ends here with a 400 that says where; nothing
 * beyond this file sees bytes.
 */
import { badRequest, StatusError } from '../../core/kube/status-error.ts';
import { JsonSyntaxError, parseJson, TOO_DEEP, type Json } from '../../core/kube/json.ts';
import { findDuplicateLines, mayRepeatKeys } from '../../core/kube/json-scan.ts';
import type { Format } from './negotiate.ts';
import { goQuote } from '../../core/kube/go-text.ts';
import { decodeProtobufObject } from '../../core/api/schema/protobuf/envelope.ts';
import type { ParsedYaml } from './parse-yaml.ts';

export interface DecodedBody {
  readonly value: Json;
  /** The JSON text of the body; absent for other formats. */
  readonly text?: string;
  /**
   * Repeated keys of a YAML body, in the words of the YAML decoder; those of JSON are found later, where they matter.
   */
  readonly duplicates?: readonly string[];
}

/** The type that errors name for a body whose kind is not known. */
const ANYTHING = 'runtime.Object';

/** Reads a text that is not JSON; it may have to wait for its turn. */
export type DecodeYaml = (text: string) => Promise<ParsedYaml>;

/**
 * A promise only for bodies that have to wait: JSON is decoded at once, because each turn of the event loop adds
 * latency.
 */
export function decodeBody(
  bytes: Buffer,
  format: Format,
  decodeYaml: DecodeYaml,
  expected = ANYTHING,
): DecodedBody | Promise<DecodedBody> {
  switch (format) {
    case 'json': {
      const text = bytes.toString('utf8');
      return { value: decodeJsonText(text, expected), text };
    }
    case 'yaml':
      return decodeYamlBody(bytes, decodeYaml, expected);
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

/**
 * JSON is YAML, and most clients send exactly that under a YAML type: the quick parser goes first, and what it refuses as
 * nested too deep is refused; the other parser would take very much longer to say so.
 */
export async function decodeYamlBody(bytes: Buffer, decodeYaml: DecodeYaml, expected = ANYTHING): Promise<DecodedBody> {
  const text = bytes.toString('utf8');
  try {
    return decodeIfJson(text) ?? (await decodeYaml(text));
  } catch (error) {
    throw malformed(error, expected);
  }
}

function decodeIfJson(text: string): DecodedBody | undefined {
  if (!/^\s*[{[]/.test(text.slice(0, 64))) return undefined;
  try {
    const value = parseJson(text);
    // Repeated keys of a body sent as YAML are reported in the YAML decoder's words, also where its text is JSON.
    return mayRepeatKeys(text, value) ? { value, duplicates: repeatedKeys(text) } : { value };
  } catch (error) {
    if (error instanceof JsonSyntaxError && error.reason === TOO_DEEP) throw error;
    // Not JSON after all; flow-style YAML may still be.
    return undefined;
  }
}

/** In the words of Go's YAML decoder. */
const repeatedKeys = (text: string): readonly string[] =>
  findDuplicateLines(text).map(({ key, line }) => `line ${line}: key ${goQuote(key)} already set in map`);

const malformed = (error: unknown, expected: string): StatusError =>
  error instanceof StatusError
    ? error
    : badRequest(
        `the object provided is unrecognized (must be of type ${expected}): couldn't get version/kind; ${error instanceof Error ? error.message : String(error)}`,
      );
