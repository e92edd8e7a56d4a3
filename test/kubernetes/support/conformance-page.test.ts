import { expect, it } from 'vitest';
import { conformancePage } from './conformance-page.ts';

it('has a line a case and a column a cluster', () => {
  const seen = { outcome: 'passed', seconds: 1, reason: '' } as const;
  const page = conformancePage(
    '1.2.3',
    new Map([
      [
        'one',
        [
          { ...seen, name: 'b' },
          { ...seen, name: 'a' },
        ],
      ],
      ['two', [{ ...seen, name: 'b', outcome: 'failed' }]],
    ]),
  );
  expect(page.split('\n').slice(5)).toEqual([
    '| case | one | two |',
    '| --- | --- | --- |',
    '| a | passed | not run |',
    '| b | passed | failed |',
    '',
  ]);
});
