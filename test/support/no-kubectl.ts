export const NO_KUBECTL =
  'no kubectl found: put one on PATH, or run "node scripts/get-kubectl.mjs" (needs Go or apt), and test again';
