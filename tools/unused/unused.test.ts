/** `npm run unused` must be able to fail: the fixture has one finding of each sort that knip.jsonc is there for. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const KNIP = fileURLToPath(new URL('../../node_modules/knip/bin/knip.js', import.meta.url));
const FIXTURE = fileURLToPath(new URL('fixture', import.meta.url));

interface Named {
  readonly name: string;
}
interface Report {
  readonly issues: readonly { readonly [kind: string]: readonly Named[] }[];
}

function findings(...flags: readonly string[]): { readonly status: number | null; readonly found: readonly string[] } {
  const args = [KNIP, '--directory', FIXTURE, '--reporter', 'json', ...flags];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const { issues } = JSON.parse(stdout) as Report;
  const found = issues.flatMap((issue) =>
    Object.entries(issue).flatMap(([kind, names]) =>
      Array.isArray(names) ? names.map(({ name }) => `${kind}: ${name}`) : [],
    ),
  );
  return { status, found: found.toSorted() };
}

it('finds files, exports, types and dependencies that nothing uses', () => {
  expect(findings('--include', 'files,exports,types,dependencies')).toEqual({
    status: 1,
    found: ['dependencies: dead-dependency', 'exports: deadExport', 'files: src/dead.ts', 'types: DeadType'],
  });
});

it('finds files and dependencies that only tests use', () => {
  expect(findings('--production', '--include', 'files,dependencies')).toEqual({
    status: 1,
    found: [
      'dependencies: dead-dependency',
      'dependencies: test-only-dependency',
      'files: src/dead.ts',
      'files: src/test-only.ts',
    ],
  });
});
