/** Errors for objects that cannot be decoded, in the words of kube-apiserver. */
import { goQuote } from '../../kube/go-text.ts';
import { badRequest, type StatusError } from '../../kube/status-error.ts';

/** The kind that a client wrote, and the kind of the request. */
export interface DecodedAs {
  readonly kind: string;
  readonly version: string;
  /** The kind the path asked for. */
  readonly expected: string;
}

/** `Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal …` */
export function cannotBeHandled(what: DecodedAs, error: string): StatusError {
  return badRequest(
    `${what.kind} in version ${goQuote(what.version)} cannot be handled as a ${what.expected}: ${error}`,
  );
}

/** One complaint for each field, as warnings list them. */
export const strictComplaints = (
  unknownFields: readonly string[],
  duplicateFields: readonly string[],
): readonly string[] => [
  ...unknownFields.map((path) => `unknown field ${goQuote(path)}`),
  ...duplicateFields.map((path) => `duplicate field ${goQuote(path)}`),
];

/** The error that strict field validation answers with; undefined if there is nothing to complain about. */
export function strictDecodingError(complaints: readonly string[]): string | undefined {
  return complaints.length === 0 ? undefined : `strict decoding error: ${complaints.join(', ')}`;
}
