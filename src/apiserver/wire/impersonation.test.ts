import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../../machinery/ports/admission.ts';
import type { Authorizer } from '../contract/authorization.ts';
import { impersonated, type Headers } from './impersonation.ts';

const admin: UserInfo = { name: 'admin', groups: ['system:masters'] };
const asked: string[] = [];
const recording = (allows: (what: string) => boolean): Authorizer => {
  asked.length = 0;
  return {
    authorize(attributes) {
      if ('path' in attributes) return { allowed: false, reason: 'not a resource' };
      const { verb, group, resource, subresource, namespace, name } = attributes;
      const what = [verb, group, resource, subresource, namespace, name].filter((part) => part !== '').join(' ');
      asked.push(what);
      return allows(what) ? { allowed: true } : { allowed: false, reason: '' };
    },
  };
};
type Sent = { readonly [name: string]: string | readonly string[] };
const headersOf = (headers: Sent): Headers => ({
  onlyHeader: (name) => [headers[name] ?? []].flat()[0],
  headerValues: (name) => [headers[name] ?? []].flat(),
  headerNames: Object.keys(headers),
});
const act = (headers: Sent, allows: (what: string) => boolean = () => true): UserInfo =>
  impersonated(admin, headersOf(headers), recording(allows));

describe('impersonation', () => {
  it('leaves alone who does not ask for it', () => {
    expect(act({ accept: '*/*' })).toBe(admin);
    expect(asked).toEqual([]);
  });

  it('acts as a user, who is somebody', () => {
    expect(act({ 'impersonate-user': 'jane' })).toEqual({ name: 'jane', groups: ['system:authenticated'] });
    expect(asked).toEqual(['impersonate users jane']);
  });

  it('asks for every group, uid and extra value', () => {
    const user = act({
      'impersonate-user': 'jane',
      'impersonate-group': ['dev', 'cn=ops,dc=shop'],
      'impersonate-uid': '42',
      'impersonate-extra-example.com%2fscope': ['a', 'b'],
    });
    expect(user).toEqual({
      name: 'jane',
      uid: '42',
      groups: ['dev', 'cn=ops,dc=shop', 'system:authenticated'],
      extra: { 'example.com/scope': ['a', 'b'] },
    });
    expect(asked).toEqual([
      'impersonate users jane',
      'impersonate groups dev',
      'impersonate groups cn=ops,dc=shop',
      'impersonate authentication.k8s.io userextras example.com/scope a',
      'impersonate authentication.k8s.io userextras example.com/scope b',
      'impersonate authentication.k8s.io uids 42',
    ]);
  });

  it('gives a service account its groups', () => {
    expect(act({ 'impersonate-user': 'system:serviceaccount:shop:robot' }).groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:shop',
      'system:authenticated',
    ]);
    expect(asked).toEqual(['impersonate serviceaccounts shop robot']);
  });

  it('keeps nobody nobody', () => {
    expect(act({ 'impersonate-user': 'system:anonymous' }).groups).toEqual(['system:unauthenticated']);
    const named = act({ 'impersonate-user': 'system:anonymous', 'impersonate-group': 'system:authenticated' });
    expect(named.groups).toEqual(['system:authenticated', 'system:unauthenticated']);
  });

  it('stays within the tenant of the one who asks', () => {
    const headers = headersOf({ 'impersonate-user': 'jane' });
    const guest: UserInfo = { ...admin, tenant: 'guest' };
    expect(
      impersonated(
        guest,
        headers,
        recording(() => true),
      ).tenant,
    ).toBe('guest');
  });

  it('refuses what is not allowed, in the words of the authorizer', () => {
    expect(() =>
      act({ 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' }, (what) => !what.includes('groups')),
    ).toThrow(
      'groups "system:masters" is forbidden: User "admin" cannot impersonate resource "groups" in API group "" at the cluster scope',
    );
  });

  it('refuses groups of nobody', () => {
    expect(() => act({ 'impersonate-group': 'dev' })).toThrow(
      'requested [{Group  dev    }] without impersonating a user',
    );
    expect(() => act({ 'impersonate-uid': '7' })).toThrow('requested [{UID  7  authentication.k8s.io/v1  }] without');
  });

  it('takes names that look like prototypes as plain text', () => {
    const user = act({ 'impersonate-user': '__proto__', 'impersonate-extra-__proto__': 'x' });
    expect(user.name).toBe('__proto__');
    expect(Object.keys(user.extra ?? {})).toEqual(['__proto__']);
  });
});
