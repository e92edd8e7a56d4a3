import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkLayers } from './check.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

describe('layer check', () => {
  it('finds an upward import, a meeting of two actors, I/O in a pure room and ambient chance', () => {
    const { findings, files } = checkLayers(at('./fixture/src'));
    expect(files).toBe(6);
    expect(findings.toSorted()).toEqual([
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
});
