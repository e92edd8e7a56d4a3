import { describe, expect, it } from 'vitest';
import { OPERATOR_CONTROLLERS, selectOperatorControllers } from './operator-controllers.ts';
import { OPERATOR_RIGHTS } from './rights.ts';

const names = (...selection: string[]): readonly string[] =>
  selectOperatorControllers(selection).map((row) => row.name);

describe('which controllers the operator runs', () => {
  it('by default only what can do no harm beside Kubernetes', () => {
    expect(names('*')).toEqual(['rollout-driver', 'component']);
    for (const row of OPERATOR_CONTROLLERS) if (row.insteadOf !== undefined) expect(row.onByDefault).toBe(false);
  });

  it.each([
    [
      ['*', 'daemonset'],
      ['rollout-driver', 'component', 'daemonset'],
    ],
    [
      ['daemonset', 'scheduler'],
      ['daemonset', 'scheduler'],
    ],
    [['*', '-rollout-driver'], ['component']],
    [
      ['*', '-scheduler'],
      ['rollout-driver', 'component'],
    ],
    [['daemonset-controller'], ['daemonset']],
    [['-daemonset', 'daemonset'], []],
    [['daemonset', '-daemonset'], ['daemonset']],
    [[], []],
  ])('%j are %j', (selection, expected) => {
    expect(names(...selection)).toEqual(expected);
  });

  it.each(['nobody', '-nobody', '', '__proto__'])('refuses %j, and says which there are', (name) => {
    expect(() => names(name)).toThrow(
      expect.objectContaining({
        code: 'EN_ASSEMBLY_UNKNOWN_CONTROLLER',
        message: expect.stringContaining('rollout-driver, component, daemonset, scheduler') as string,
      }),
    );
  });
});

describe('the rights of the operator', () => {
  it('are told of every controller, and of nothing that is none, but what all need and what serves webhooks', () => {
    const features = new Set(OPERATOR_RIGHTS.map(({ feature }) => feature));
    const controllers = OPERATOR_CONTROLLERS.map(({ name }) => name);
    for (const name of ['base', ...controllers]) expect(features).toContain(name);
    for (const name of features) expect(['base', 'webhooks', ...controllers]).toContain(name);
  });

  it('name verbs, groups and resources one by one, never all', () => {
    for (const { rules, why } of OPERATOR_RIGHTS) {
      expect(why).not.toBe('');
      for (const rule of rules) {
        expect(rule.nonResourceURLs).toBe(undefined);
        for (const list of [rule.verbs, rule.apiGroups ?? [], rule.resources ?? []]) {
          expect(list.length).toBeGreaterThan(0);
          expect(list).not.toContain('*');
          expect(new Set(list).size).toBe(list.length);
        }
      }
    }
  });

  it('reach no secrets of others, no roles, no impersonation; but for who keeps components, which bring those', () => {
    const resources = OPERATOR_RIGHTS.filter(({ scope, feature }) => scope === 'cluster' && feature !== 'component')
      .flatMap(({ rules }) => rules)
      .flatMap((rule) => rule.resources ?? []);
    for (const kept of ['secrets', 'configmaps', 'roles', 'clusterroles', 'users', 'groups', 'serviceaccounts/token'])
      expect(resources).not.toContain(kept);
  });

  it('let nobody be given more than the operator has: no escalating, binding, impersonating, no tokens', () => {
    for (const rule of OPERATOR_RIGHTS.flatMap(({ rules }) => rules)) {
      for (const verb of ['escalate', 'bind', 'impersonate']) expect(rule.verbs).not.toContain(verb);
      for (const kept of ['users', 'groups', 'serviceaccounts/token', 'pods/exec'])
        expect(rule.resources).not.toContain(kept);
    }
  });
});
