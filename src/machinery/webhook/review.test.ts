import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/kube/json.ts';
import { applyJsonPatch, decodeJsonPatch } from '../../core/kube/json-patch.ts';
import { forbiddenRequest } from '../../core/kube/status-error.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { decodeReview, encodeAnswer, ReviewError } from './review.ts';

const MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { a: '1' } };

const review = (request: JsonObject = {}): JsonObject => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u-1',
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
    name: 'm',
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'jane', uid: '7', groups: ['g'], extra: { scopes: ['a', 'b'] } },
    object: MAP,
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'kubectl' },
    ...request,
  },
});

describe('a review', () => {
  it('becomes the request that a plugin in the chain would see', () => {
    expect(decodeReview(review())).toEqual({
      uid: 'u-1',
      request: {
        operation: 'CREATE',
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        kind: 'ConfigMap',
        subresource: '',
        tenant: 'system',
        namespace: 'default',
        name: 'm',
        object: MAP,
        options: { fieldManager: 'kubectl' },
        dryRun: false,
        user: { name: 'jane', uid: '7', groups: ['g'], extra: { scopes: ['a', 'b'] } },
      },
    });
  });

  it('tells of dry runs, subresources and what is deleted', () => {
    const { request } = decodeReview(
      review({ operation: 'DELETE', object: null, oldObject: MAP, dryRun: true, subResource: 'status', options: null }),
    );
    expect(request).toMatchObject({ operation: 'DELETE', oldObject: MAP, dryRun: true, subresource: 'status' });
    expect(request).not.toHaveProperty('object');
    expect(request).not.toHaveProperty('options');
  });

  it('may hold fields of a newer Kubernetes', () => {
    expect(decodeReview(review({ fromTheFuture: { x: 1 } })).uid).toBe('u-1');
  });

  it.each<[string, Json]>([
    ['no object', []],
    ['null', null],
    ['no version', {}],
    ['an older version', { ...review(), apiVersion: 'admission.k8s.io/v1beta1' }],
    ['another kind', { ...review(), kind: 'Pod' }],
    ['no request', { ...review(), request: null }],
    ['no uid', review({ uid: '' })],
    ['a uid that is a number', review({ uid: 7 })],
    ['an unknown operation', review({ operation: 'PATCH' })],
    ['no resource', review({ resource: null })],
    ['a resource without name', review({ resource: { group: '', version: 'v1', resource: '' } })],
    ['no kind', review({ kind: undefined })],
    ['an object that is a list', review({ object: [] })],
    ['an object without kind', review({ object: { apiVersion: 'v1' } })],
    ['an old object that is a text', review({ oldObject: 'x' })],
    ['a dry run that is a text', review({ dryRun: 'true' })],
    ['no user', review({ userInfo: null })],
    ['groups that are no list', review({ userInfo: { username: 'x', groups: 'g' } })],
    ['extras that are no lists', review({ userInfo: { username: 'x', extra: { a: 'b' } } })],
    ['options that are a list', review({ options: [] })],
  ])('with %s is refused', (_, body) => {
    expect(() => decodeReview(body)).toThrow(ReviewError);
  });

  it('of any shape is understood or refused, never more', () => {
    const anything = fc.jsonValue({ maxDepth: 3 });
    const fields = ['uid', 'kind', 'resource', 'operation', 'userInfo', 'object', 'oldObject', 'options', 'dryRun'];
    fc.assert(
      fc.property(fc.constantFrom(...fields), anything, (field, value) => {
        try {
          decodeReview(review({ [field]: value as Json }));
        } catch (error) {
          expect(error).toBeInstanceOf(ReviewError);
        }
      }),
    );
  });
});

describe('an answer', () => {
  const asked = decodeReview(review());
  const response = (...args: Parameters<typeof encodeAnswer>): JsonObject =>
    (encodeAnswer(...args) as { readonly response: JsonObject }).response;

  it('of a plugin that changed something is a patch', () => {
    const object = { ...MAP, metadata: { ...MAP.metadata, labels: { seen: 'yes' } } } as KubeObject;
    const given = response(asked, 'mutate', { allowed: true, object });
    expect(given).toMatchObject({ uid: 'u-1', allowed: true, patchType: 'JSONPatch' });
    const patch = JSON.parse(Buffer.from(given['patch'] as string, 'base64').toString()) as Json;
    expect(applyJsonPatch(MAP, decodeJsonPatch(patch))).toEqual(object);
  });

  it('has no patch when nothing was changed, nor from a validating plugin', () => {
    expect(response(asked, 'mutate', { allowed: true, object: structuredClone(MAP) })).toEqual({
      uid: 'u-1',
      allowed: true,
    });
    const object = { ...MAP, data: {} } as KubeObject;
    expect(response(asked, 'validate', { allowed: true, object })).toEqual({ uid: 'u-1', allowed: true });
  });

  it('of a refusal says why, with warnings and annotations', () => {
    const error = forbiddenRequest({ group: '', resource: 'configmaps' }, 'm', 'no daemons here');
    const more = { warnings: ['mind'], auditAnnotations: { rule: 'guard' } };
    expect(response(asked, 'validate', { allowed: false, error, ...more })).toMatchObject({
      uid: 'u-1',
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: 'configmaps "m" is forbidden: no daemons here' },
      ...more,
    });
  });
});
