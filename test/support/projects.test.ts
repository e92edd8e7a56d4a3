/** Every test file belongs to exactly one project of vitest.config.ts: a file of none is never run, one of two runs twice. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import config from '../../vitest.config.ts';

interface Project {
  readonly test: { readonly name: string; readonly include: readonly string[]; readonly exclude?: readonly string[] };
}

const ROOT = join(import.meta.dirname, '../..');
const NOT_OURS = new Set(['node_modules', 'dist', '.cache', '.git', 'fixture']);

const matching = (patterns: readonly string[]): ReadonlySet<string> =>
  new Set(globSync(patterns, { cwd: ROOT, exclude: (name) => NOT_OURS.has(name) }));

const filesOf = ({ test: { include, exclude = [] } }: Project): ReadonlySet<string> =>
  matching(include).difference(matching(exclude));

/** Files that do not belong to exactly one of the projects, each with the names of those that have it. */
function misplaced(projects: readonly Project[]): readonly string[] {
  const owners = projects.map((project) => ({ name: project.test.name, files: filesOf(project) }));
  return [...matching(['**/*.test.ts'])]
    .map((file) => ({ file, names: owners.filter(({ files }) => files.has(file)).map(({ name }) => name) }))
    .filter(({ names }) => names.length !== 1)
    .map(({ file, names }) => `${file}: ${names.join(' and ') || 'no project'}`);
}

const PROJECTS = (config.test?.projects ?? []) as readonly Project[];

it('puts every test file into exactly one project', () => {
  expect(PROJECTS.length).toBeGreaterThan(5);
  expect(matching(['**/*.test.ts']).size).toBeGreaterThan(400);
  expect(misplaced(PROJECTS)).toEqual([]);
});

it('has files for every project', () => {
  expect(PROJECTS.filter((project) => filesOf(project).size === 0)).toEqual([]);
});

it('names files of no project and of two', () => {
  const extra: Project = { test: { name: 'extra', include: ['test/support/projects.test.ts'] } };
  expect(misplaced([...PROJECTS, extra])).toEqual(['test/support/projects.test.ts: contract and extra']);
  const without = PROJECTS.filter(({ test }) => test.name !== 'fuzz');
  expect(misplaced(without)).toContainEqual(expect.stringMatching(/^test\/fuzz\/.*: no project$/));
});
