import { describe, expect, it } from 'vitest';
import { connectionLimits } from './connection-limits.ts';
import { descriptorLimit, openFilesOf } from './descriptor-limit.ts';

describe('the descriptors of a process', () => {
  it('are read from the words of the kernel', () => {
    const limits = (soft: string) =>
      `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                 4096                 files\n`;
    expect(openFilesOf(limits('600'))).toBe(600);
    expect(openFilesOf(limits('unlimited'))).toBe(Infinity);
    expect(openFilesOf('Max cpu time  unlimited  unlimited  seconds\n')).toBeUndefined();
  });

  it('are known here', () => {
    expect(descriptorLimit()).toBeGreaterThan(16);
  });
});

describe('the limits of connections', () => {
  it('leave descriptors for the store, whatever there are', () => {
    for (let descriptors = 160; descriptors < 200_000; descriptors = Math.ceil(descriptors * 1.1)) {
      const { most, mostUnproven } = connectionLimits(descriptors);
      expect(descriptors - most).toBeGreaterThanOrEqual(128);
      expect(mostUnproven).toBeLessThanOrEqual(most / 2);
      expect(mostUnproven).toBeGreaterThan(0);
    }
  });

  it('are still limits where there is no limit of descriptors, and still connections where there are few', () => {
    expect(connectionLimits(Infinity)).toMatchObject({ most: 20_000, mostUnproven: 4_096 });
    expect(connectionLimits(64)).toMatchObject({ most: 16, mostUnproven: 8 });
  });
});
