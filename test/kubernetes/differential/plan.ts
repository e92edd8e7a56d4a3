/**
 * How many cases are compared, and which. `EVERYNODE_DIFFERENTIAL_CASES` asks for more of each kind, `EVERYNODE_SEED` for
 * others: a number, or `random` to hunt. `EVERYNODE_DIFFERENTIAL_CASE` plays one alone, by the name a failure gives
 * it; or several, with commas between them. Of requests that part, `EVERYNODE_DIFFERENTIAL_TOLD` (8) are made small and told.
 */
const FIXED_SEED = 20_261;

const wantedSeed = process.env['EVERYNODE_SEED'];
const SEED =
  wantedSeed === 'random'
    ? Math.floor(Math.random() * 1e9)
    : wantedSeed === undefined
      ? FIXED_SEED
      : Number(wantedSeed);

/** The names of the cases of a kind: each is a seed by itself. */
export function casesOf(kind: string, usual: number): readonly string[] {
  const one = process.env['EVERYNODE_DIFFERENTIAL_CASE'];
  if (one !== undefined) return one.split(',').filter((name) => name.startsWith(`${kind}/`));
  const count = Number(process.env['EVERYNODE_DIFFERENTIAL_CASES'] ?? usual);
  return Array.from({ length: count }, (_, index) => `${kind}/${SEED}/${index}`);
}

/** What a failed comparison begins with; scripts/day-seed.mjs reads it from the report. */
export const partedText = (parted: number, played: number): string => `${parted} of ${played} cases part`;
