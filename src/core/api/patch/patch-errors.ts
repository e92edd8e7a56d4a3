/** Errors of strategic merge patches, in Kubernetes' words: few of them are reported as the client's fault. */
import type { Json, JsonObject } from '../../kube/json.ts';
import { badRequest, StatusError } from '../../kube/status-error.ts';
import { goText, goTypeName } from '../go-print.ts';

export const failed = (message: string): StatusError => new StatusError(500, '', message);

export const badFormat = (of: 'primitive list' | 'retainKeys' | 'setElementOrder list'): StatusError =>
  badRequest(`invalid patch format of ${of}`);

const wrongType = (expected: Json, found: Json): string =>
  `expected a ${goTypeName(expected)}, but received a ${found === null ? '%!s(<nil>)' : goTypeName(found)}`;

export function requireMap(item: Json): JsonObject {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) throw failed(wrongType({}, item));
  return item as JsonObject;
}

export function requireList(value: Json): readonly Json[] {
  if (!Array.isArray(value)) throw failed(wrongType([], value));
  return value as readonly Json[];
}

export const noMergeKey = (map: JsonObject, mergeKey: string): StatusError =>
  failed(`map: ${goText(map)} does not contain declared merge key: ${mergeKey}`);

export function unknownDirective(directive: Json, map: JsonObject): StatusError {
  const text = typeof directive === 'string' ? directive : `%!s(${goTypeName(directive)}=${goText(directive)})`;
  return failed(`unknown patch type: ${text} in map: ${goText(map)}`);
}

/** Merging knows no lists in lists. */
export const listOfLists = (): StatusError =>
  new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {
    causes: [{ reason: 'UnexpectedServerResponse', message: 'lists of lists are not supported' }],
  });
