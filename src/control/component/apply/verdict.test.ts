import { expect, it } from 'vitest';
import { refOf } from './object-ref.ts';
import type { LagCode } from '../rollout/lag.ts';
import type { RolloutSnapshot } from '../rollout/snapshot.ts';
import type { ComponentStatus, ObjectStatus } from './status.ts';
import { verdictOf } from './verdict.ts';
import { DAEMON_SETS } from '../../../core/api/registry/resources.ts';

const rollout = (...codes: readonly LagCode[]): RolloutSnapshot => ({
  namespace: 'a',
  name: 'b',
  state: codes.length === 0 ? 'complete' : 'updating',
  message: '',
  desired: 1,
  updated: 0,
  ready: 0,
  available: 0,
  groups: [],
  lagging: [],
  reasons: codes.map((code) => ({ code, count: 1, message: '', node: 'n' })),
});
const status = (change: Partial<ComponentStatus>): ComponentStatus => ({
  phase: 'settled',
  inventory: undefined,
  objects: [],
  rollouts: [],
  isHealthy: false,
  ...change,
});
const object = (state: ObjectStatus['state']): ObjectStatus => ({ object: refOf(DAEMON_SETS, 'a', 'b'), state });

it.each<[string, Partial<ComponentStatus>, string]>([
  ['is not there', { phase: 'absent' }, 'absent'],
  ['is healthy', { isHealthy: true, rollouts: [rollout()] }, 'rolled-out'],
  ['is being applied', { phase: 'applying', objects: [object('missing')] }, 'progressing'],
  ['is being deleted', { phase: 'deleting' }, 'progressing'],
  ['lacks an object', { objects: [object('present'), object('missing')] }, 'failed'],
  ['has an object that became another’s', { objects: [object('not-ours')] }, 'failed'],
  ['has an object that is going', { objects: [object('ending')] }, 'progressing'],
  ['starts', { rollouts: [rollout('starting', 'no-pod')] }, 'progressing'],
  ['is held', { rollouts: [rollout('paused')] }, 'progressing'],
  ['waits for a node', { rollouts: [rollout('node-not-ready')] }, 'progressing'],
  ['starts here and crashes there', { rollouts: [rollout('starting', 'crash-loop')] }, 'failed'],
  ['lacks a Secret', { rollouts: [rollout('config')] }, 'failed'],
])('a component that %s', (_, change, verdict) => {
  expect(verdictOf(status(change))).toBe(verdict);
});
