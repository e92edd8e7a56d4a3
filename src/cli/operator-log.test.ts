import { expect, it } from 'vitest';
import { createTextLogger } from './operator-log.ts';

it('writes lines that people can read: one each, whatever is in them', () => {
  const lines: string[] = [];
  const logger = createTextLogger({ now: () => 0 }, 'info', (line) => void lines.push(line));
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  logger.debug('unseen');
  logger
    .with({ controller: 'daemonset' })
    .warn('Could not', { error: new Error('a\nb'), name: 'x y', count: 3, none: undefined });
  logger.error('Odd', { cycle, big: 1n, list: ['a', 'b'] });
  expect(lines).toEqual([
    '1970-01-01T00:00:00.000Z WARN  Could not controller=daemonset error="a\\nb" name="x y" count=3\n',
    '1970-01-01T00:00:00.000Z ERROR Odd cycle=[object Object] big=1 list=["a","b"]\n',
  ]);
});
