import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../core/api/registry/registry.ts';
import type { Resource } from '../../core/kube/objects.ts';
import { collectableResources, namespacedResources } from './served-resources.ts';

describe('the kinds kept in order', () => {
  const kinds = createRegistry().all();
  const names = (chosen: readonly Resource[]): readonly string[] =>
    chosen.map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`));

  it('own and are owned: all that can be followed and deleted, but no events', () => {
    const chosen = names(collectableResources(kinds));
    for (const name of ['pods', 'daemonsets.apps', 'controllerrevisions.apps', 'nodes', 'namespaces'])
      expect(chosen).toContain(name);
    for (const name of ['events', 'bindings', 'tokenreviews']) expect(chosen).not.toContain(name);
    expect(new Set(chosen).size).toBe(chosen.length);
  });

  it('go with their namespace: those in one, each once', () => {
    const chosen = names(namespacedResources(kinds));
    expect(chosen).toContain('events');
    expect(chosen).not.toContain('nodes');
    expect(new Set(chosen).size).toBe(chosen.length);
  });
});
