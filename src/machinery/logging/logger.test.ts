import { describe, expect, it } from 'vitest';
import { rememberingLogger } from './logger.ts';

describe('logs', () => {
  it('carry bound fields under constant messages', () => {
    const { logger, lines } = rememberingLogger();
    logger.with({ controller: 'c' }).with({ name: 'n' }).warn('Something', { error: 'e' });
    expect(lines).toEqual([
      { level: 'warn', message: 'Something', fields: { controller: 'c', name: 'n', error: 'e' } },
    ]);
  });
});
