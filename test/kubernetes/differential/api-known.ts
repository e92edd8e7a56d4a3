/** Differences that are there on purpose, each with its reason. An entry that is no longer needed fails the suite. */
import { isDeepStrictEqual } from 'node:util';
import { encodeJson, type Json } from '../../../src/core/kube/json.ts';
import type { Difference } from './api-normal.ts';
import type { Operation, Sequence } from './api-sequences.ts';

export interface Asked {
  readonly difference: Difference;
  readonly operation: Operation;
  readonly sequence: Sequence;
  readonly real: Json;
  readonly ours: Json;
}

export interface KnownDifference {
  readonly name: string;
  readonly reason: string;
  matches(asked: Asked): boolean;
}

export const KNOWN: readonly KnownDifference[] = [
  {
    name: 'descriptions of columns',
    reason: 'the sentences of the documentation are our own; no client does anything with them',
    matches: ({ difference: { path } }) => /^body\.columnDefinitions\.\d+\.description$/.test(path),
  },
  {
    name: 'availability of an APIService',
    reason: 'a controller of the aggregator writes it, some time after; here no server stands behind another',
    matches: ({ difference: { path }, sequence }) =>
      sequence.target.kind === 'APIService' &&
      /^body(\.items\.\d+|\.rows\.\d+\.object)?\.(status|metadata\.(managedFields|resourceVersion)|cells)/.test(path),
  },
  {
    name: 'what a useless patch made',
    reason:
      'the error repeats the patched object: Go in the order of its structs, or as it prints a map, ours as it is kept',
    matches: ({ difference: { ours, path, real } }) =>
      /^body\.(message|details\.causes\.0\.message)$/.test(path) && withoutValue(real) === withoutValue(ours),
  },
  {
    name: 'the place of an object in etcd',
    reason: 'an error names the key under which etcd has the object; there is no etcd',
    matches: ({ difference: { ours, path, real } }) =>
      path === 'body.message' &&
      String(real).replace(
        /StorageError: invalid object, Code: 4, Key: \S+, ResourceVersion: 0, AdditionalErrorMsg: /,
        '',
      ) === ours,
  },
  {
    name: 'findings told again',
    reason:
      'Go judges metadata in several layers and repeats what each of them found among the causes; ours says it once',
    matches: ({ difference: { path }, ours, real }) =>
      path.startsWith('body.details.causes') && isDeepStrictEqual(causesOf(real), causesOf(ours)),
  },
];

const causesOf = (answer: Json): ReadonlySet<string> => {
  const causes = (answer as { readonly body?: { readonly details?: { readonly causes?: readonly Json[] } } }).body
    ?.details?.causes;
  return new Set((causes ?? []).map(encodeJson));
};

/** `patch: Invalid value: "{…}": what is wrong` without the value. */
const withoutValue = (message: Json | undefined): string | undefined => {
  const found = /^(.*)Invalid value: "(?:[^"\\]|\\.)*": (.*)$/s.exec(String(message));
  return found === null ? undefined : `${found[1]}…${found[2]}`;
};

/** The name of the entry that tells of a difference. */
export const excused = (asked: Asked): string | undefined => KNOWN.find((entry) => entry.matches(asked))?.name;
