/** Every score ends up between 0 and this. */
export const MAX_SCORE = 100;

/** Scales to 0–100 by the largest; `reverse` where less is better. */
export function normalise(scores: readonly number[], reverse: boolean): readonly number[] {
  let largest = 0;
  for (const score of scores) if (score > largest) largest = score;
  if (largest === 0) return reverse ? scores.map(() => MAX_SCORE) : scores;
  return scores.map((score) => {
    const scaled = Math.trunc((MAX_SCORE * score) / largest);
    return reverse ? MAX_SCORE - scaled : scaled;
  });
}
