import { expect, it } from 'vitest';
import { conformancePage } from './conformance-page.ts';

const seen = { outcome: 'passed', seconds: 1, reason: '' } as const;

it('has a line a case and a column a cluster, counts by group, and says what was left out and why', () => {
  const page = conformancePage({
    release: 'v1.2.3',
    plan: {
      chosen: [],
      endless: [{ name: '[sig-a] e', reason: 'no night' }],
      unfit: [{ name: '[sig-b] x', reason: 'needs a | moon' }],
    },
    verdicts: new Map([
      [
        'one',
        [
          { ...seen, name: '[sig-b] b' },
          { ...seen, name: '[sig-a] a' },
          { ...seen, name: '[sig-a] s', outcome: 'skipped', reason: 'no stars\nhere' },
        ],
      ],
      ['two', [{ ...seen, name: '[sig-b] b', outcome: 'failed' }]],
    ]),
  });
  expect(page.split('\n').slice(6)).toEqual([
    '| group | passed | failed | left out |',
    '| --- | --- | --- | --- |',
    '| sig-a | 1 | 1 | 1 |',
    '| sig-b | 0 | 1 | 1 |',
    '',
    '## Failing',
    '',
    '| case | why |',
    '| --- | --- |',
    '| [sig-a] e | no night: not asked, it would never end |',
    '| [sig-b] b | not known |',
    '',
    '## Asked',
    '',
    '| case | one | two |',
    '| --- | --- | --- |',
    '| [sig-a] a | passed | not asked |',
    '| [sig-b] b | passed | failed |',
    '',
    '## Left out',
    '',
    '| case | why |',
    '| --- | --- |',
    '| [sig-a] s | it will not run: no stars |',
    '| [sig-b] x | needs a \\| moon |',
    '',
  ]);
});
