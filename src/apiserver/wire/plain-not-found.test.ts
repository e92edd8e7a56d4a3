import { describe, expect, it } from 'vitest';
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import { createRegistry } from '../../core/api/registry/registry.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { parsePath } from './path.ts';
import { isPlainNotFound } from './plain-not-found.ts';

const built = createRegistry();
const boxes = { group: 'own.example.com', version: 'v1', resource: 'boxes', kind: 'Box', custom: {} };
const kinds = {
  ...built,
  all: () => [...built.all(), boxes as unknown as KindDefinition],
  byResource: (group: string, version: string, resource: string) =>
    group === boxes.group && version === boxes.version && resource === boxes.resource
      ? (boxes as unknown as KindDefinition)
      : built.byResource(group, version, resource),
};
const missing = new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
const isPlain = (path: string, error: unknown = missing): boolean =>
  isPlainNotFound(error, path, parsePath(path), kinds);

describe('what is not found', () => {
  it.each([
    '/nope',
    '/healthz/nope',
    '/metrics/x',
    '/openid/v1/x',
    '/tenants/a/b',
    '/apis/nope',
    '/apis/nope/v1',
    '/apis/nope/v1/namespaces/default/things/x',
    '/apis/own.example.com/v7',
    '/apis/own.example.com/v7/boxes',
    '/apis/own.example.com/v1/nope',
  ])('is a line of text where nobody knows the path: %s', (path) => expect(isPlain(path)).toBe(true));

  it.each([
    '/api/v2',
    '/api/v2/pods',
    '/api/v1/nope',
    '/api/v1/namespaces/default/pods/x',
    '/api/v1/namespaces/default/pods/x/nope',
    '/apis/apps/v9',
    '/apis/apps/v9/deployments',
    '/apis/apps/v1/nope',
    '/apis/apps/v1//deployments',
    '/api/v1/namespaces//pods',
    '/api/v1/pods/%zz',
    '/apis/own.example.com/v1/namespaces/default/boxes/x',
    '/apis/own.example.com/v1/namespaces/default/boxes/x/nope',
  ])('is a Status where the group is built in or the kind is served: %s', (path) => expect(isPlain(path)).toBe(false));

  it('is no other failure', () => {
    expect(isPlain('/nope', new StatusError(403, 'Forbidden', 'no'))).toBe(false);
    expect(isPlain('/nope', new Error('no'))).toBe(false);
  });
});
