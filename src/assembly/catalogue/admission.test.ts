import { describe, expect, it } from 'vitest';
import { API_VERSIONS, COMPONENT_PLURAL } from '../../core/api/component/generations.ts';
import { ADMISSION_CATALOGUE, admissionPlugins } from './admission.ts';

describe('the webhooks that are registered', () => {
  it('are those that are served, in the phase in which the plugin has something to say', () => {
    const plugins = new Map(admissionPlugins().map((plugin) => [plugin.name, plugin]));
    expect([...plugins.keys()].toSorted()).toEqual(ADMISSION_CATALOGUE.map(({ name }) => name).toSorted());
    for (const { name, phase } of ADMISSION_CATALOGUE) expect(plugins.get(name)?.[phase]).toBeDefined();
  });

  it('ask about every generation of a KubernetesDaemonSet, and about nothing that the plugin does not judge', () => {
    const component = ADMISSION_CATALOGUE[0]?.webhook;
    const asked = (component?.rules ?? []).flatMap(({ apiGroups = [], apiVersions = [], resources = [] }) =>
      apiGroups.flatMap((group) =>
        apiVersions.flatMap((version) => resources.map((resource) => ({ group, version, resource }))),
      ),
    );
    expect(asked.map(({ group, version }) => `${group}/${version}`).toSorted()).toEqual(API_VERSIONS.toSorted());
    expect(new Set(asked.map(({ resource }) => resource))).toEqual(new Set([COMPONENT_PLURAL]));
    const [plugin] = admissionPlugins();
    for (const { operations = [] } of component?.rules ?? []) {
      for (const operation of operations) {
        for (const resource of asked) {
          const request = { operation, resource, subresource: '' } as Parameters<
            NonNullable<typeof plugin>['handles']
          >[0];
          expect(plugin?.handles(request)).toBe(true);
        }
      }
    }
  });

  it('let nothing pass when nobody answers, within the time that API servers allow', () => {
    for (const { failurePolicy, timeoutSeconds } of ADMISSION_CATALOGUE.map(({ webhook }) => webhook)) {
      expect(failurePolicy).toBe('Fail');
      expect(timeoutSeconds).toBeLessThanOrEqual(30);
    }
  });
});
