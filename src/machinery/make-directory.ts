/**
 * A directory and the ones above it. Not Node's own recursive mkdir: where a directory exists but takes no children
 * (as in /proc), that one tries for ever.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export function makeDirectory(path: string, mode: number): void {
  const missing: string[] = [];
  for (let at = resolve(path); !exists(at); at = dirname(at)) missing.push(at);
  for (const each of missing.toReversed()) {
    try {
      mkdirSync(each, { mode });
    } catch (error) {
      // Another process made the directory first, which is as good.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
