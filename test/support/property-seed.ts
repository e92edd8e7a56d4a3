/**
 * Property tests draw the same cases on every run, so that a red build means a changed house and not an unlucky draw.
 * `EVERYNODE_SEED=random` (or a number) draws others: for hunting, and for the nights.
 */
import fc from 'fast-check';

const FIXED = 20_261;
const wanted = process.env['EVERYNODE_SEED'];

if (wanted !== 'random') fc.configureGlobal({ seed: wanted === undefined ? FIXED : Number(wanted) });
