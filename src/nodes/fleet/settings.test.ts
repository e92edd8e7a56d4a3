import { describe, expect, it } from 'vitest';
import { FLEET_ANNOTATIONS as A } from '../../core/api/names.ts';
import type { Container, Node, Pod } from '../../core/api/types/core-v1.ts';
import { isReadyAtBirth, nodeSettings, podSettings } from './settings.ts';

const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: 'u', controller: true };
const podOf = (container: Partial<Container>, annotations: Record<string, string> = {}, isJob = true): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', annotations, ...(isJob ? { ownerReferences: [owner] } : {}) },
  spec: { containers: [{ name: 'main', image: 'example.test/work:1', ...container }] },
});

describe('a simulated node', () => {
  const nodeOf = (annotations: Record<string, string>, labels: Record<string, string> = {}): Node => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', annotations, labels },
    spec: {},
  });

  it('is Ready when it is made, whatever its labels, unless an annotation says otherwise', () => {
    const plain = { startupDelayMs: 0, podStartDelayMs: 0, readyWhenDaemon: undefined };
    for (const labels of [{}, { accelerator: 'gpu' }]) {
      expect(nodeSettings(nodeOf({}, labels))).toEqual(plain);
      expect(isReadyAtBirth(nodeSettings(nodeOf({}, labels)))).toBe(true);
    }
  });

  it('with GPUs is Ready when it is made like any other', () => {
    const capacity = { cpu: '32', memory: '128Gi', pods: '110', 'nvidia.com/gpu': '4' };
    const node = { ...nodeOf({}), status: { capacity, allocatable: capacity } };
    expect(nodeSettings(node)).toEqual(nodeSettings(nodeOf({})));
    expect(isReadyAtBirth(nodeSettings(node))).toBe(true);
  });

  it.each([
    [{ [A.startupDelay]: '2s' }, { startupDelayMs: 2000 }, false],
    [{ [A.startupDelay]: 'soon' }, { startupDelayMs: 0 }, true],
    [{ [A.startupDelay]: '-2s' }, { startupDelayMs: 0 }, true],
    [{ [A.podStartDelay]: '300ms' }, { podStartDelayMs: 300 }, true],
    [{ [A.readyWhenDaemon]: 'kube-system/cni' }, { readyWhenDaemon: 'kube-system/cni' }, false],
    [{ [A.readyWhenDaemon]: '' }, { readyWhenDaemon: undefined }, true],
  ])('with %j has %j', (annotations, expected, isReady) => {
    const settings = nodeSettings(nodeOf(annotations));
    expect(settings).toMatchObject(expected);
    expect(isReadyAtBirth(settings)).toBe(isReady);
  });
});

describe('a simulated pod', () => {
  it.each([
    [{}, 1000, 0],
    [{ command: ['sleep', '300'] }, 300_000, 0],
    [{ command: ['/bin/sleep'], args: ['2'] }, 2000, 0],
    [{ command: ['sh', '-c', ' sleep 5 '] }, 5000, 0],
    [{ command: ['/bin/sh', '-c', 'exit 42'] }, 1000, 42],
    [{ command: ['/bin/bash', '-c'], args: ['exit 300'] }, 1000, 1],
    [{ command: ['/bin/true'] }, 1000, 0],
    [{ command: ['false'] }, 1000, 1],
    [{ image: 'example.test/pause:3.10' }, undefined, 0],
    [{ image: 'example.test/pause:3.10', command: ['true'] }, 1000, 0],
    [{ command: ['sh', '-c', 'work && sleep 5'] }, 1000, 0],
  ] as const)('of a Job with %j ends after %s ms with code %s', (container, exitAfterMs, exitCode) => {
    expect(podSettings(podOf(container as Partial<Container>))).toMatchObject({ exitAfterMs, exitCode });
  });

  it('does what its annotations say before what its command says', () => {
    const pod = podOf({ command: ['sleep', '300'] }, { [A.exitAfter]: '5s', [A.exitCode]: '3' });
    expect(podSettings(pod)).toMatchObject({ exitAfterMs: 5000, exitCode: 3 });
  });

  const owned = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true };
  it.each([
    ['that somebody made to run once', { restartPolicy: 'Never' }, {}, 1000],
    ['that somebody made to run until it succeeds', { restartPolicy: 'OnFailure' }, {}, 1000],
    ['that somebody made', {}, {}, undefined],
    ['of a controller', { restartPolicy: 'Never' }, { ownerReferences: [owned] }, undefined],
    [
      'that tests a release',
      { restartPolicy: 'Never' },
      { ownerReferences: [owned], annotations: { 'helm.sh/hook': 'pre-delete, test-success' } },
      1000,
    ],
    [
      'that is another hook of a controller',
      { restartPolicy: 'Never' },
      { ownerReferences: [owned], annotations: { 'helm.sh/hook': 'pre-install,latest' } },
      undefined,
    ],
    ['that tests a release and restarts', {}, { annotations: { 'helm.sh/hook': 'test' } }, undefined],
    ['with a time of its own', { restartPolicy: 'Never' }, { annotations: { [A.exitAfter]: '1m' } }, 60_000],
    ['that never ends', { restartPolicy: 'Never' }, { annotations: { [A.exitAfter]: 'never' } }, undefined],
    ['with a time nobody understands', { restartPolicy: 'Never' }, { annotations: { [A.exitAfter]: 'soon' } }, 1000],
  ] as const)('%s', (_, spec, metadata, exitAfterMs) => {
    const pod = podOf({}, {}, false);
    const changed = { ...pod, metadata: { ...pod.metadata, ...metadata }, spec: { ...pod.spec, ...spec } };
    expect(podSettings(changed as Pod).exitAfterMs).toBe(exitAfterMs);
  });

  it('of nobody’s Job runs until it is told to stop', () => {
    expect(podSettings(podOf({ command: ['sleep', '1'] }, {}, false)).exitAfterMs).toBeUndefined();
  });
});
