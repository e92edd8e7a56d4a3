/**
 * Adds up vitest's JSON reports and closes with one plain line; exits 1 when anything failed or nothing ran. Files that
 * end in `.note` say what was not run at all; with EVERYNODE_CI_STRICT=1 that is a failure too.
 */
import { existsSync, readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
let skipped = 0;
const notes = [];
for (const file of process.argv.slice(2)) {
  if (file.endsWith('.note')) {
    if (existsSync(file)) notes.push(readFileSync(file, 'utf8').trim());
    continue;
  }
  // What was not run at all has left no report, and a note.
  if (!existsSync(file)) continue;
  const report = JSON.parse(readFileSync(file, 'utf8'));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  skipped += report.numPendingTests + (report.numTodoTests ?? 0);
}
console.log([`${passed} passed, ${failed} failed, ${skipped} skipped`, ...notes].join('; '));
const isStrict = (process.env.EVERYNODE_CI_STRICT ?? '') !== '';
if (failed > 0 || passed === 0 || (isStrict && notes.length > 0)) process.exitCode = 1;
