import { describe, expect, it } from 'vitest';
import { StatusError } from '../../core/kube/status-error.ts';
import { createPinoLogger } from './pino-logger.ts';

describe('logs of pino', () => {
  it('are JSON lines with the error whole, and never throw', async () => {
    const lines: string[] = [];
    const logger = await createPinoLogger({ level: 'info', destination: { write: (text) => void lines.push(text) } });
    logger.debug('Hidden');
    logger.with({ controller: 'c' }).error('Failed', { name: 'n', error: new Error('why'), big: 2n ** 60n });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'error',
      msg: 'Failed',
      controller: 'c',
      name: 'n',
      big: '1152921504606846976',
      error: { type: 'Error', message: 'why' },
    });
  });

  it('tell what an API server said in one short line', async () => {
    const lines: string[] = [];
    const logger = await createPinoLogger({ level: 'info', destination: { write: (text) => void lines.push(text) } });
    logger.warn('Refused', { error: new StatusError(503, 'ServiceUnavailable', 'the disk is full') });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'Refused',
      error: { code: 503, reason: 'ServiceUnavailable', message: 'the disk is full' },
    });
    expect(lines[0]).not.toContain('stack');
  });
});
