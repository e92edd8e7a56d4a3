/**
 * `npm test` draws few enough seeds and releases to wait for. With EVERYNODE_THOROUGH set, as before a change lands, the same
 * tests draw all of them; `npm run simulate` goes on from there.
 */
export const isThorough = (process.env['EVERYNODE_THOROUGH'] ?? '') !== '';
