import { describe, expect, it } from 'vitest';
import { StatusError } from '../../../core/kube/status-error.ts';
import type { ManagedFieldsEntry } from '../../../core/kube/meta-v1.ts';
import { conflictsIn, handedOver, predecessorTest } from './managers.ts';

const entry = (manager: string, operation: string, fields: object, more: object = {}): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  time: '2026-01-01T00:00:00Z',
  fieldsV1: fields as never,
  ...more,
});
const isPredecessor = predecessorTest(['pulumi-kubernetes*']);
const REF = { group: 'apps', version: 'v1', resource: 'daemonsets', kind: 'DaemonSet', namespace: 'n', name: 'a' };

describe('handing over fields', () => {
  it('joins the parts of earlier tools with ours', () => {
    const after = handedOver(
      [
        entry('everynode', 'Apply', { 'f:spec': { 'f:a': {} } }),
        entry('kubectl-client-side-apply', 'Update', { 'f:spec': { 'f:b': {} } }, { time: '2026-02-01T00:00:00Z' }),
        entry('pulumi-kubernetes-12ab', 'Apply', { 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } }),
        entry('controller', 'Update', { 'f:status': {} }, { subresource: 'status' }),
        entry('ops', 'Update', { 'f:spec': { 'f:c': {} } }),
      ],
      isPredecessor,
      'apps/v1',
    );
    expect(after?.map(({ manager, operation }) => [manager, operation])).toEqual([
      ['everynode', 'Apply'],
      ['controller', 'Update'],
      ['ops', 'Update'],
    ]);
    expect(after?.[0]?.fieldsV1).toEqual({
      'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } },
      'f:spec': { 'f:a': {}, 'f:b': {} },
    });
    expect(after?.[0]?.time).toBe('2026-02-01T00:00:00Z');
  });

  it('does nothing where there are none, and leaves what they did to subresources', () => {
    const status = entry('kubectl-create', 'Update', { 'f:status': {} }, { subresource: 'status' });
    expect(handedOver([entry('everynode', 'Apply', {}), status], isPredecessor, 'apps/v1')).toBeUndefined();
    expect(handedOver([], isPredecessor, 'apps/v1')).toBeUndefined();
  });

  it('leaves what controllers of the same name wrote to them', () => {
    const update = entry('everynode', 'Update', { 'f:metadata': { 'f:finalizers': {} } });
    expect(handedOver([update], isPredecessor, 'apps/v1')).toBeUndefined();
  });
});

describe('conflicts', () => {
  it('name the owner, whatever it is called', () => {
    const cause = (message: string) => ({ reason: 'FieldManagerConflict', field: '.spec.a', message });
    const causes = [
      cause('conflict with "kubectl-edit" using apps/v1'),
      cause('conflict with "a \\"quoted\\" one" with subresource "scale" using apps/v1 at 2026-01-01T00:00:00Z'),
      { reason: 'Other', message: 'x' },
    ];
    const conflicts = conflictsIn(new StatusError(409, 'Conflict', 'x', { causes }), REF);
    expect(conflicts.map(({ manager }) => manager)).toEqual(['kubectl-edit', 'a "quoted" one']);
    expect(conflicts[0]?.owner).toBe('"kubectl-edit" using apps/v1');
  });
});
