import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MAX_JSON_PATCH_COPY_BYTES } from './json-patch.ts';
import { MAX_REQUEST_BYTES } from './request-limit.ts';

const SOURCE = join(import.meta.dirname, '../..');
const isSource = (path: string): boolean => path.endsWith('.ts') && !path.endsWith('.test.ts');
/** Sizes of the store's files have nothing to do with those of requests, and may happen to be the same. */
const isOfStore = (path: string): boolean => path.startsWith(join('apiserver', 'store', 'engines'));

it("is kube-apiserver's default, which is also the limit of what JSON patch copies", () => {
  expect(MAX_REQUEST_BYTES).toBe(3_145_728);
  expect(MAX_JSON_PATCH_COPY_BYTES).toBe(MAX_REQUEST_BYTES);
});

it('is written as a number in one file only', () => {
  const mebibytes = MAX_REQUEST_BYTES / 1024 ** 2;
  const digits = String(MAX_REQUEST_BYTES).replaceAll(/(?=(?:\d{3})+$)/g, '_?');
  const spellings = new RegExp(`\\b${mebibytes} ?\\* ?1024 ?\\* ?1024|\\b${mebibytes} ?<< ?20|\\b${digits}`);
  const writing = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => isSource(path) && !isOfStore(path))
    .filter((path) => spellings.test(readFileSync(join(SOURCE, path), 'utf8')));
  expect(writing).toEqual([join('core', 'kube', 'request-limit.ts')]);
});
