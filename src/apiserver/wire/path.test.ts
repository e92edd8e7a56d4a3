import { describe, expect, it } from 'vitest';
import { parsePath } from './path.ts';

const target = (path: string): unknown => {
  const route = parsePath(path);
  return route.kind === 'resource' ? route.target : route.kind;
};
const pods = { tenant: 'system', group: '', version: 'v1', resource: 'pods', namespace: '', name: '', subresource: '' };

describe('paths of resources', () => {
  it('reads cluster-wide, namespaced, named and subresource paths', () => {
    expect(target('/api/v1/pods')).toEqual(pods);
    expect(target('/api/v1/namespaces/a/pods')).toEqual({ ...pods, namespace: 'a' });
    expect(target('/api/v1/namespaces/a/pods/p')).toEqual({ ...pods, namespace: 'a', name: 'p' });
    expect(target('/api/v1/namespaces/a/pods/p/log')).toEqual({
      ...pods,
      namespace: 'a',
      name: 'p',
      subresource: 'log',
    });
    expect(target('/apis/apps/v1/namespaces/a/daemonsets/d/status')).toEqual({
      ...pods,
      group: 'apps',
      resource: 'daemonsets',
      namespace: 'a',
      name: 'd',
      subresource: 'status',
    });
  });

  it('tells a Namespace and its subresources from what lives in it', () => {
    const namespaces = { ...pods, resource: 'namespaces' };
    expect(target('/api/v1/namespaces')).toEqual(namespaces);
    expect(target('/api/v1/namespaces/a')).toEqual({ ...namespaces, name: 'a' });
    expect(target('/api/v1/namespaces/a/')).toEqual({ ...namespaces, name: 'a' });
    expect(target('/api/v1/namespaces/a/finalize')).toEqual({ ...namespaces, name: 'a', subresource: 'finalize' });
    expect(target('/api/v1/namespaces/a/status')).toEqual({ ...namespaces, name: 'a', subresource: 'status' });
    expect(target('/api/v1/namespaces/a/status/x')).toEqual({ ...pods, namespace: 'a', resource: 'status', name: 'x' });
  });

  it('reads a tenant in front of everything', () => {
    expect(target('/tenants/red/api/v1/namespaces/a/pods')).toEqual({ ...pods, tenant: 'red', namespace: 'a' });
    expect(parsePath('/tenants/red/apis')).toEqual({ kind: 'discovery', level: 'groups' });
    expect(parsePath('/tenants/red/version')).toEqual({ kind: 'unknown' });
    expect(parsePath('/tenants')).toEqual({ kind: 'unknown' });
    for (const tenant of ['%2e%2e', 'a%2fb', 'a%00', 'RED', '__proto__', 't'.repeat(64)]) {
      expect(parsePath(`/tenants/${tenant}/api/v1/pods`)).toEqual({ kind: 'unknown' });
    }
  });

  it('decodes names once, after splitting, so an encoded slash never makes a new segment', () => {
    expect(target('/api/v1/namespaces/a/pods/x%2Fstatus')).toEqual({ ...pods, namespace: 'a', name: 'x/status' });
    expect(target('/api/v1/namespaces/a/pods/%E0%A4%A')).toBe('unknown');
    expect(target('/api/v1/namespaces//pods')).toBe('unknown');
  });

  it('reads the old watch form', () => {
    expect(parsePath('/api/v1/watch/namespaces/a/pods')).toEqual({
      kind: 'resource',
      target: { ...pods, namespace: 'a' },
      legacyWatch: true,
    });
  });
});

describe('other paths', () => {
  it.each([
    ['/', { kind: 'index' }],
    ['/api', { kind: 'discovery', level: 'core-versions' }],
    ['/apis', { kind: 'discovery', level: 'groups' }],
    ['/apis/apps', { kind: 'discovery', level: 'group', group: 'apps' }],
    ['/api/v1', { kind: 'discovery', level: 'resources', group: '', version: 'v1' }],
    ['/apis/apps/v1', { kind: 'discovery', level: 'resources', group: 'apps', version: 'v1' }],
    ['/version', { kind: 'version' }],
    ['/readyz/ping', { kind: 'health', probe: 'readyz', check: 'ping' }],
    ['/openapi/v2', { kind: 'openapi', version: 'v2', path: '' }],
    ['/openapi/v3/apis/apps/v1', { kind: 'openapi', version: 'v3', path: 'apis/apps/v1' }],
    ['/nothing', { kind: 'unknown' }],
    ['/livez/a/b', { kind: 'unknown' }],
  ])('%s', (path, route) => expect(parsePath(path)).toEqual(route));
});
