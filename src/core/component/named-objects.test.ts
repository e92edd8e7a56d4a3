import { describe, expect, it } from 'vitest';
import { namedObjects } from './named-objects.ts';
import { daemonSetNaming as set, ownConfigMap as own } from './testing/naming.ts';

describe('what pods name', () => {
  it('is found wherever it is named, but not what the component brings or can do without', () => {
    expect(namedObjects([own, set])).toEqual([
      { kind: 'ConfigMap', name: 'maps', keys: ['p', 'q'], isLogin: false },
      { kind: 'Secret', name: 'all', keys: ['a'], isLogin: false },
      { kind: 'Secret', name: 'both', keys: ['crt'], isLogin: false },
      { kind: 'Secret', name: 'login', keys: [], isLogin: true },
    ]);
  });
});
