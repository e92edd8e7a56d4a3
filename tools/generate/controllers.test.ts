import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SIMULATED_ACTORS } from '../../src/assembly/simulated.ts';

const ROOT = new URL('../../', import.meta.url);

/** The row of a table that begins so. */
function rowOf(page: string, begin: string): string {
  const lines = readFileSync(new URL(page, ROOT), 'utf8').split('\n');
  const row = lines.find((line) => line.startsWith(begin));
  if (row === undefined) throw new Error(`${page} has no row that begins with ${begin}`);
  return row;
}

describe('lists of controllers that are written by hand', () => {
  it('docs/architecture.md names every folder of control/', () => {
    const row = rowOf('docs/architecture.md', '| `control/*` |');
    const folders = readdirSync(new URL('src/control/', ROOT), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );
    const missing = folders.map(({ name }) => `\`${name}/\``).filter((name) => !row.includes(name));
    expect(missing, 'add to the row of control/* in docs/architecture.md').toEqual([]);
  });

  it('docs/simulation.md names the actors that run unless a scenario says otherwise', () => {
    const [, , listed = ''] = rowOf('docs/simulation.md', '| `crash: {actor, down}` |').split('|');
    expect(
      (listed.match(/(?<=`)[a-z-]+(?=`)/g) ?? []).toSorted(),
      'the row of crash in docs/simulation.md lists the actors that run by default',
    ).toEqual(SIMULATED_ACTORS.map(({ name }) => name).toSorted());
  });
});
