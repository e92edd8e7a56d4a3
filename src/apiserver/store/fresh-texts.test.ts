import { describe, expect, it } from 'vitest';
import { splitObject } from '../../core/api/encoding/object-json.ts';
import { keepText, takeText } from './fresh-texts.ts';

const config = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

describe('texts of fresh objects', () => {
  it('are there for one who comes for them', () => {
    const object = config('a');
    const text = splitObject(object);
    keepText(object, text);
    expect(takeText(config('a'))).toBeUndefined();
    expect(takeText(object)).toBe(text);
    expect(takeText(object)).toBeUndefined();
  });

  it('go when many others came and nobody asked', () => {
    const first = config('first');
    keepText(first, splitObject(first));
    for (let i = 0; i < 300; i++) {
      const other = config(String(i));
      keepText(other, splitObject(other));
    }
    expect(takeText(first)).toBeUndefined();
  });

  it('are not kept when they are long', () => {
    const long = { ...config('long'), data: { text: 'x'.repeat(100_000) } };
    keepText(long, splitObject(long));
    expect(takeText(long)).toBeUndefined();
  });
});
