/**
 * An error of everynode itself, with a stable code that people can search for. Each room has a table of its codes and one
 * class of its own below this one, so that callers tell rooms apart by `instanceof` and the compiler knows the codes.
 * (Errors of the API are `StatusError`: they carry a Kubernetes `Status` instead.)
 */
export abstract class CodedError<Code extends string = string> extends Error {
  /** A code of the room's table; never renamed. */
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
