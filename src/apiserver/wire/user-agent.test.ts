import { describe, expect, it } from 'vitest';
import { programName } from './user-agent.ts';

describe('the name of a program', () => {
  it('is what stands before the first slash', () => {
    expect(programName('kubectl/v1.36.0 (linux/amd64) kubernetes/abc')).toBe('kubectl');
    expect(programName('curl')).toBe('curl');
    expect(programName('')).toBe('');
    expect(programName('/x')).toBe('');
  });

  it('is printable, and no longer than the name of a field manager may be', () => {
    expect(programName('a\tb\u0000c/1')).toBe('abc');
    expect(programName(`${'x'.repeat(127)}é/1`)).toBe('x'.repeat(127));
    expect(programName('x'.repeat(500))).toBe('x'.repeat(128));
  });
});
