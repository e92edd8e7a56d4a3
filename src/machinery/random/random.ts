/** Chance as the rest of the house sees it: seeded in tests and simulation, the platform's own otherwise. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [0, bound). */
  integer(bound: number): number;
  /** `length` characters that Kubernetes uses in generated names. */
  suffix(length: number): string;
  /** A version-4 UUID. */
  uuid(): string;
}
