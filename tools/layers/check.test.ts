import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkLayers } from './check.ts';
import { FOLDER_LIMIT } from './rooms.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

describe('layer check', () => {
  it('finds an upward import, a meeting of two actors, I/O in a pure room and ambient chance, a circle of folders', () => {
    const { findings, files } = checkLayers(at('./fixture/src'));
    expect(files).toBe(8);
    expect(findings.toSorted()).toEqual([
      'control/daemonset, control/daemonset/inner: folders of one room import each other in a circle: control/daemonset/inner/circle.ts imports control/daemonset/outer.ts; control/daemonset/outer.ts imports control/daemonset/inner/circle.ts',
      'control/scheduler/meets.ts: control/scheduler (layer 4) may not import control/daemonset (layer 4): control/daemonset/other.ts',
      'core/kube/looks-up.ts: a pure room may not import node:fs',
      'core/kube/looks-up.ts: core/kube (layer 0) may not import core/placement (layer 2): core/placement/high.ts',
      'core/placement/high.ts: reads ambient time or chance (Math.random); take Clock or Random instead',
    ]);
  });

  it('finds nothing in the house, having looked at all of it', () => {
    const { findings, files, imports } = checkLayers(at('../../src'));
    expect(findings).toEqual([]);
    expect(files).toBeGreaterThan(40);
    expect(imports).toBeGreaterThan(40);
  });

  const findingsIn = (text: string, file = 'core/kube/sly.ts'): readonly string[] => {
    const source = mkdtempSync(join(tmpdir(), 'everynode-layers-'));
    try {
      mkdirSync(dirname(join(source, file)), { recursive: true });
      writeFileSync(join(source, file), text);
      return checkLayers(source).findings;
    } finally {
      rmSync(source, { recursive: true });
    }
  };
  const UP = 'core/kube/sly.ts: core/kube (layer 0) may not import core/api (layer 1): core/api/up.ts';

  it.each([
    `import { up } from '../api/up.ts';`,
    `import type { up } from "../api/up.ts";`,
    `import {\n  type up,\n  other,\n} from '../api/up.ts';`,
    `import '../api/up.ts';`,
    `export { up } from '../api/up.ts';`,
    `export * as up from '../api/up.ts';`,
    `const a = 1; import { up } from '../api/up.ts';`,
    `/* … */ import /* … */ up from /* … */ '../api/up.ts' with { type: 'x' };`,
    `const up = await import('../api/up.ts');`,
    'const up = await import(`../api/up.ts`);',
    `type Up = import('../api/up.ts').Up;`,
    `const up = import.meta.resolve('../api/up.ts');`,
    `new Worker(new URL('../api/up.ts', import.meta.url));`,
  ])('finds %s', (text) => expect(findingsIn(text)).toEqual([UP]));

  it.each([
    [`const up = require('../api/up.ts');`, 'requires; use import'],
    [`import up = require('../api/up.ts');`, 'requires; use import'],
    [`await import('../api/' + 'up.ts');`, 'imports by a name that is not spelt out'],
    [`await import(name);`, 'imports by a name that is not spelt out'],
    ['await import(`../api/${name}.ts`);', 'imports by a name that is not spelt out'],
    [`import up from '#api/up';`, 'imports #api/up; name modules of the house by path'],
    [`import up from 'everynode/up.ts';`, 'imports everynode/up.ts; name modules of the house by path'],
    [`import 'fs';`, 'imports fs without its node: prefix'],
    [`import { request } from 'undici';`, 'a pure room may not import undici'],
    [`await import('node:fs/promises');`, 'a pure room may not import node:fs/promises'],
  ])('finds %s', (text, finding) => expect(findingsIn(text)).toContain(`core/kube/sly.ts: ${finding}`));

  it('finds a folder with more files than anybody looks through', () => {
    const source = mkdtempSync(join(tmpdir(), 'everynode-layers-'));
    try {
      mkdirSync(join(source, 'cli', 'many'), { recursive: true });
      for (let index = 0; index <= FOLDER_LIMIT; index++)
        writeFileSync(join(source, 'cli', 'many', `file-${index}.ts`), 'export {};');
      writeFileSync(join(source, 'cli', 'many', 'file-1.test.ts'), 'export {};');
      expect(checkLayers(source).findings).toEqual([
        `cli/many: holds ${FOLDER_LIMIT + 1} source files, at most ${FOLDER_LIMIT}; give it sub-folders`,
      ]);
    } finally {
      rmSync(source, { recursive: true });
    }
  });

  it.each(['core/kube/sly.mts', 'core/kube/sly.js', 'core/kube/sly.tsx'])(
    'finds %s, which nobody would type-check',
    (file) => expect(findingsIn('export {};', file)).toEqual([`${file}: is not a .ts file`]),
  );

  it.each([`import { RE2JS } from 're2js';`, `const text = "a word from 'prose'";`, `// import '../api/up.ts'`])(
    'lets %s be',
    (text) => expect(findingsIn(text)).toEqual([]),
  );
});
