import { describe, expect, it } from 'vitest';
import { judgeGates } from './scheduling-gates.ts';

describe('scheduling gates', () => {
  it('hold a pod back until they are gone', () => {
    expect(judgeGates({ containers: [], schedulingGates: [{ name: 'foo' }, { name: 'bar' }] })).toMatchObject({
      ok: false,
      everywhere: true,
      nos: [
        { message: 'waiting for scheduling gates: [foo bar]', fix: expect.stringContaining('`foo`, `bar`') as string },
      ],
    });
  });

  it('are absent from most pods', () => {
    expect(judgeGates({ containers: [] }).ok).toBe(true);
    expect(judgeGates({ containers: [], schedulingGates: [] }).ok).toBe(true);
  });
});
