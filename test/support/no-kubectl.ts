export const NO_KUBECTL =
  'no kubectl found: put one on PATH, or run "node scripts/get-kubectl.mjs" (needs Go or apt), and test again';

/** Where machines are set up on purpose, a missing tool is a failure; on a laptop it is said and skipped. */
export const isOnPurpose = (): boolean => (process.env['CI'] ?? 'false') !== 'false';
