/** Everything that serving custom resources can fail with on its own account. A code is never renamed. */
export const CUSTOM_ERROR_CODES = {
  EN_APISERVER_KIND_RETIRED: 'A watch ended because its kind is served no longer, or differently; clients look again',
} as const;

/** Ends the watches of a kind that is served no longer, or differently. */
export class RetiredKindError extends Error {
  override readonly name = 'RetiredKindError';
  readonly code = 'EN_APISERVER_KIND_RETIRED';
  constructor(resource: string) {
    super(`${resource} are no longer served as they were`);
  }
}
