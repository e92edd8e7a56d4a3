import { describe, expect, it } from 'vitest';
import { pullPolicyFor } from '../kinds/pod/defaults/default-container.ts';
import { isLatest } from './image-reference.ts';

const SHA256 = `sha256:${'a'.repeat(64)}`;

describe('an image is pulled by its latest tag', () => {
  it.each([
    'nginx',
    'nginx:latest',
    'library/nginx',
    'docker.io/nginx',
    'localhost/x',
    'localhost:5000/x',
    'registry.example.com:5000/a/b/c',
    '[::1]:5000/x',
    `nginx:latest@${SHA256}`,
  ])('when it is %s', (image) => {
    expect(isLatest(image)).toBe(true);
    expect(pullPolicyFor(image)).toBe('Always');
  });
});

describe('an image is pulled once', () => {
  it.each([
    'nginx:1.27',
    'localhost:5000/x:v1',
    `nginx@${SHA256}`,
    'a'.repeat(64),
    'Nginx',
    'a//b',
    ' nginx',
    '',
    ':latest',
    'nginx:latest@sha256:short',
    'x'.repeat(300),
  ])('when it is %s', (image) => {
    expect(isLatest(image)).toBe(false);
    expect(pullPolicyFor(image)).toBe('IfNotPresent');
  });

  it('also for a hostile name, without taking long', () => {
    expect(isLatest(`${'a-'.repeat(20_000)}!`)).toBe(false);
  });
});
