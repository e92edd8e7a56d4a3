import { describe, expect, it } from 'vitest';
import { readScenario } from './read-scenario.ts';

const problems = (text: string): readonly string[] =>
  readScenario(text, 'x').problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);

const NODES = 'nodes: [{ name: worker, count: 2 }]\n';

describe('a scenario file', () => {
  it('says what there is and what happens', () => {
    const { scenario } = readScenario(
      `
nodes:
  - { name: worker, count: 2, podStartDelay: 2s }
objects:
  - &agent { apiVersion: apps/v1, kind: DaemonSet, metadata: { name: agent } }
steps:
  - { at: 1m30s, fail: worker-1 }
  - between: [10s, 20s]
    taint: { node: any of worker, key: a, value: b, effect: NoExecute }
  - { at: 5s, apply: *agent }
  - { at: 0, flap: { node: any, times: 2, every: 4s } }
  - { at: 1s, crash: { actor: fleet, down: 10s } }
  - { at: 1s, join: worker }
  - { at: 2s, jump: { forward: 1h } }
  - { at: 3s, jump: { back: 30m } }
actors: ['*', nodelifecycle]
`,
      'file',
    );
    expect(scenario).toMatchObject({
      name: 'file',
      contended: false,
      nodes: [{ name: 'worker', count: 2 }],
      actors: ['*', 'nodelifecycle'],
    });
    expect(scenario?.steps.map(({ at, action }) => ({ at, ...action }))).toEqual([
      { at: 90_000, do: 'fail', node: 'worker-1' },
      {
        at: [10_000, 20_000],
        do: 'taint',
        node: 'any of worker',
        taint: { key: 'a', value: 'b', effect: 'NoExecute' },
      },
      { at: 5_000, do: 'apply', object: { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent' } } },
      { at: 0, do: 'flap', node: 'any', times: 2, everyMs: 4_000 },
      { at: 1_000, do: 'crash', actor: 'fleet', downMs: 10_000 },
      { at: 1_000, do: 'join', group: 'worker' },
      { at: 2_000, do: 'jump', byMs: 3_600_000 },
      { at: 3_000, do: 'jump', byMs: -1_800_000 },
    ]);
    expect(scenario?.steps[0]?.line).toBe(7);
  });

  it.each<[string, string, readonly string[]]>([
    ['no map', '[]', ['1:1 : expected a map with nodes and steps']],
    ['no nodes', 'steps: []', ['1:1 nodes: expected a list of node groups, each with name and count']],
    [
      'an unknown field',
      `${NODES}stpes: []`,
      ['2:1 stpes: unknown field; known are name, description, nodes, objects, steps, actors, contended, settleWithin'],
    ],
    [
      'a step without a time',
      `${NODES}steps:\n  - fail: worker-1`,
      ['3:5 steps[0]: expected a time: either at, or between with two times'],
    ],
    [
      'two times',
      `${NODES}steps:\n  - { at: 1s, between: [1s, 2s], fail: a }`,
      ['3:5 steps[0]: expected a time: either at, or between with two times'],
    ],
    [
      'a span that ends before it begins',
      `${NODES}steps:\n  - { between: [5s, 2s], fail: a }`,
      ['3:16 steps[0].between: the first time must not be later than the second'],
    ],
    [
      'no time at all',
      `${NODES}steps:\n  - { at: soon, fail: a }`,
      ['3:11 steps[0].at: expected a duration such as 500ms, 5s or 1m30s'],
    ],
    [
      'no effect that exists',
      `${NODES}steps:\n  - { at: 1s, taint: { node: a, key: b, effect: Never } }`,
      ['3:22 steps[0].taint.effect: expected one of NoSchedule, PreferNoSchedule, NoExecute'],
    ],
    [
      'no propagation that exists',
      `${NODES}steps:\n  - { at: 1s, delete: { kind: Pod, name: a, propagation: Slow } }`,
      ['3:23 steps[0].delete.propagation: expected one of Background, Foreground, Orphan'],
    ],
    [
      'a field that is needed',
      `${NODES}steps:\n  - { at: 1s, image: { daemon: a } }`,
      ['3:22 steps[0].image.image: is needed'],
    ],
    [
      'a count that is none',
      `${NODES}steps:\n  - { at: 1s, join: { group: worker, count: 0 } }`,
      ['3:45 steps[0].join.count: expected a whole number above 0'],
    ],
    [
      'an object without a name',
      `${NODES}objects:\n  - { kind: Pod }`,
      ['3:5 objects[0]: expected a manifest with apiVersion, kind and metadata.name'],
    ],
    [
      'a kill of nothing',
      `${NODES}steps:\n  - { at: 1s, kill: {} }`,
      ['3:21 steps[0].kill: expected a daemon or an order, a node, or both'],
    ],
    [
      'a jump that goes nowhere',
      `${NODES}steps:\n  - { at: 1s, jump: { forward: 1h, back: 1h } }`,
      ['3:21 steps[0].jump: expected either forward or back, with a duration'],
    ],
    [
      'an actor that nobody knows',
      `${NODES}actors: [scheduller]`,
      [expect.stringMatching(/^2:9 actors: "scheduller" is not in the list .*; did you mean "scheduler"\?$/)],
    ],
  ])('is told where it has %s', (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it('is told where a node group is wrong, at its place in the file', () => {
    const text = 'description: many\n\nnodes:\n  - name: worker\n    count: few\nsteps: []\n';
    expect(problems(text)).toHaveLength(1);
    expect(problems(text)[0]).toMatch(/^5:12 nodes\[0\]\.count: .*expected a whole number/);
  });

  it('is told all at once, in the order of the file', () => {
    const text = `${NODES}steps:\n  - { at: soon, fail: a }\n  - { at: 1s }\ncontended: perhaps\n`;
    expect(problems(text).map((line) => line.slice(0, 4))).toEqual(['3:11', '4:5 ', '5:12']);
  });

  it('is told of two actions in one step, and of none that is known', () => {
    expect(problems(`${NODES}steps:\n  - { at: 1s, fail: a, drain: a }`)[0]).toContain('expected one action');
    expect(problems(`${NODES}steps:\n  - { at: 1s, explode: a }`).join()).toContain('unknown field');
  });

  it('is no YAML, and is told where', () => {
    expect(problems('nodes: [\n')[0]).toMatch(/^\d+:\d+ /);
  });

  it('cannot unfold without end', () => {
    const lines = Array.from({ length: 60 }, (_, i) => `  - &a${i + 1} [*a${i}, *a${i}]`);
    expect(problems(`${NODES}objects:\n  - &a0 [x]\n${lines.join('\n')}`).join()).toContain(
      'unfolds to more than 100000 values',
    );
  });
});
