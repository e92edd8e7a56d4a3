import { describe, expect, it } from 'vitest';
import { OPERATOR_RIGHTS } from './operator-rights.ts';
import { selectableNames } from './select.ts';

describe('the rights of the operator', () => {
  it('are told of every controller, and of nothing that is none, but what all need and what serves webhooks', () => {
    const features = new Set(OPERATOR_RIGHTS.map(({ feature }) => feature));
    const controllers = selectableNames('operator');
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
