import { describe, expect, it } from 'vitest';
import type { Deployment, ReplicaSet } from '../../../../core/api/types/apps-v1.ts';
import { annotationsFor, latestRevision, revisionOf } from './revisions.ts';
import { REVISION, REVISION_HISTORY } from './names.ts';

const setOf = (revision: string): ReplicaSet =>
  ({ metadata: { name: 's', annotations: { [REVISION]: revision } } }) as unknown as ReplicaSet;
const DEPLOYMENT = { metadata: { name: 'd' }, spec: { template: {} } } as unknown as Deployment;

describe('the revision of a ReplicaSet', () => {
  it('has 64 bits', () => {
    expect(latestRevision([setOf('3'), setOf('3546343826724305832'), setOf('-1')])).toBe(3546343826724305832n);
    expect(latestRevision([])).toBe(0n);
  });

  it.each(['', 'x', '1.5', '9223372036854775808', '99999999999999999999'])('is none in %j', (text) => {
    expect(revisionOf(setOf(text))).toBe(0n);
  });

  it('goes up, and is remembered', () => {
    const annotations = annotationsFor(DEPLOYMENT, setOf('3546343826724305832'), 3546343826724305833n);
    expect(annotations).toMatchObject({
      [REVISION]: '3546343826724305833',
      [REVISION_HISTORY]: '3546343826724305832',
    });
    expect(annotationsFor(DEPLOYMENT, setOf('7'), 6n)).toEqual({ [REVISION]: '7' });
  });
});
