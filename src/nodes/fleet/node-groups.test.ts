import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FLEET_ANNOTATIONS as A } from '../../core/api/names.ts';
import { isReady } from './node-status.ts';
import { nodesOf, readNodeGroups } from './node-groups.ts';
import { isReadyAtBirth, nodeSettings } from './settings.ts';

const NOW = '2026-01-01T00:00:00Z';
const problems = (text: string): readonly string[] =>
  readNodeGroups(text).problems.map(({ line, column, path, message }) => `${line}:${column} ${path} ${message}`);

describe('a file of node groups', () => {
  it('may say everything the example says', () => {
    const text = readFileSync(new URL('../../../examples/node-groups.yaml', import.meta.url), 'utf8');
    const { groups, problems: found } = readNodeGroups(text);
    expect(found).toEqual([]);
    expect(groups.map(({ name, count }) => `${name} ${count}`)).toEqual(['general 20', 'gpu 4', 'slow 2']);
  });

  it('may be the list itself, and share parts by anchors', () => {
    const { groups } = readNodeGroups('- &a {name: a, count: 1, labels: {x: "1"}}\n- {<<: *a, name: b, count: 2}\n');
    expect(groups.length).toBeLessThanOrEqual(2);
  });

  it('is told all its problems at once, each where it stands', () => {
    const text = `groups:
  - name: Bad_Name
    count: -1
    lables: {}
  - name: ok
    count: 2.5
    labels: { size: 3, "bad key!": x }
    taints:
      - { key: dedicated, effect: Sometimes }
      - { effect: NoSchedule, extra: 1 }
      - what
    capacity: { cpu: four, memory: -1Gi }
    startupDelay: 5
    podStartDelay: soon
    readyWhenDaemon: cni
  - nope
`;
    expect(problems(text)).toEqual([
      '2:11 groups[0].name "Bad_Name": expected a DNS name of at most 200 characters, such as gpu-large',
      '3:12 groups[0].count -1: expected a whole number of nodes, 0 or more',
      '4:5 groups[0].lables unknown field; known are name, count, labels, taints, capacity, allocatable, startupDelay, podStartDelay, readyWhenDaemon',
      '6:12 groups[1].count 2.5: expected a whole number of nodes, 0 or more',
      '7:21 groups[1].labels.size 3: label values are text; put it in quotes',
      expect.stringMatching(/^7:36 groups\[1\]\.labels\["bad key!"\] no label key: name part must consist of/),
      '9:35 groups[1].taints[0].effect "Sometimes": expected one of NoSchedule, PreferNoSchedule, NoExecute',
      '10:31 groups[1].taints[1].extra unknown field; known are key, value, effect',
      '10:9 groups[1].taints[1].key missing',
      '11:9 groups[1].taints[2] expected a taint: a map with key and effect',
      '12:22 groups[1].capacity.cpu "four" is no quantity; expected for example 4, 500m or 16Gi',
      '12:36 groups[1].capacity.memory "-1Gi": expected 0 or more',
      '13:19 groups[1].startupDelay 5: expected a duration such as 500ms, 5s or 1m30s',
      '14:20 groups[1].podStartDelay "soon": expected a duration such as 500ms, 5s or 1m30s',
      '15:22 groups[1].readyWhenDaemon "cni": expected namespace/name of a DaemonSet',
      '16:5 groups[2] expected a group: a map with name and count',
    ]);
  });

  it.each([
    ['', 'expected a list of node groups'],
    ['groups: 5', 'expected a list of node groups'],
    ['groups: []', 'expected a list of node groups'],
    ['a: [', 'Flow sequence in block collection'],
    ['groups:\n  - name: a\n    name: b\n    count: 1', 'the key "name" stands twice in one mapping'],
    ['- {name: a, count: 1}\n- {name: a, count: 1}', '"a" is the name of another group'],
    ['- {name: a, count: 100000}\n- {name: b, count: 100001}', '200001 nodes in all; at most 200000'],
    ['- {count: 1}', 'missing'],
    ['- {name: a, count: 1, startup-delay: 5s}', 'unknown field; did you mean startupDelay?'],
    ['- {name: a, count: 1, __proto__: {polluted: yes}}', 'unknown field'],
    ['- {name: a, count: 1, constructor: 1}', 'unknown field'],
    ['- {name: a, count: .inf}', 'expected a whole number'],
    ['- {name: a, count: 9999999999999999999}', 'expected a whole number'],
  ])('refuses %j', (text, message) => {
    const { groups, problems: found } = readNodeGroups(text);
    expect(groups).toEqual([]);
    expect(found.map((each) => each.message).join('\n')).toContain(message);
    for (const { line, column } of found) expect(Math.min(line, column)).toBeGreaterThan(0);
  });

  it('is not unfolded without end', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
      .split('')
      .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[i]}`).join(',')}]`)
      .join('\n')}\ngroups: *h\n`;
    expect(problems(bomb).length).toBeGreaterThan(0);
  });

  it('never makes the reader throw', () => {
    const value: fc.Arbitrary<unknown> = fc.anything({ maxDepth: 3, withNullPrototype: false });
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.constantFrom('name', 'count', 'labels', 'taints', 'capacity', 'x'), value)),
        (groups) => {
          let text: string;
          try {
            text = JSON.stringify({ groups }) ?? '';
          } catch {
            return;
          }
          const read = readNodeGroups(text);
          expect(read.groups.length === 0 || read.problems.length === 0).toBe(true);
        },
      ),
    );
    fc.assert(fc.property(fc.string(), (text) => void readNodeGroups(text)));
  });
});

describe('the nodes of a group', () => {
  it('are born Ready, shared in what they have in common, and told apart by name and zone', () => {
    const nodes = [...nodesOf({ name: 'g', count: 4, capacity: { cpu: '8' }, labels: { tier: 'x' } }, NOW)];
    expect(nodes.map(({ metadata }) => metadata.name)).toEqual(['g-0', 'g-1', 'g-2', 'g-3']);
    expect(nodes.map(({ metadata }) => metadata.labels?.['topology.kubernetes.io/zone'])).toEqual([
      'zone-a',
      'zone-b',
      'zone-c',
      'zone-a',
    ]);
    expect(nodes.every(isReady)).toBe(true);
    const [a, b] = nodes;
    expect(a?.metadata.labels).toMatchObject({
      tier: 'x',
      'everynode.dev/node-group': 'g',
      'kubernetes.io/hostname': 'g-0',
    });
    expect(a?.metadata.annotations).toBe(b?.metadata.annotations);
    expect(a?.status?.conditions).toBe(b?.status?.conditions);
    expect(a?.status?.capacity).toBe(b?.status?.capacity);
    expect(a?.status?.capacity).toMatchObject({ cpu: '8', memory: '16Gi', pods: '110' });
    expect(a?.status?.addresses).not.toEqual(b?.status?.addresses);
  });

  it('are born Ready exactly where the settings that the fleet reads from them say so', () => {
    const delay = fc.constantFrom(undefined, '0s', '2s');
    const daemon = fc.constantFrom(undefined, 'kube-system/cni');
    fc.assert(
      fc.property(delay, daemon, (startupDelay, readyWhenDaemon) => {
        const more = {
          ...(startupDelay === undefined ? {} : { startupDelay }),
          ...(readyWhenDaemon === undefined ? {} : { readyWhenDaemon }),
        };
        for (const node of nodesOf({ name: 'gpu', count: 2, ...more }, NOW)) {
          expect(isReady(node)).toBe(isReadyAtBirth(nodeSettings(node)));
          expect(isReady(node)).toBe(startupDelay !== '2s' && readyWhenDaemon === undefined);
        }
      }),
    );
  });

  it('that start later come without a status', () => {
    const [node] = nodesOf(
      { name: 'g', count: 1, startupDelay: '5s', readyWhenDaemon: 'a/b', podStartDelay: '1s' },
      NOW,
    );
    expect(node?.status?.conditions).toBeUndefined();
    expect(node?.metadata.annotations).toMatchObject({
      [A.startupDelay]: '5s',
      [A.readyWhenDaemon]: 'a/b',
      [A.podStartDelay]: '1s',
    });
  });
});
