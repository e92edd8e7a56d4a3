import { describe, expect, it } from 'vitest';
import { API_VERSIONS, COMPONENT_PLURAL } from '../../core/api/component/generations.ts';
import { ADMISSION_CATALOGUE, admissionPlugins, webhookPlugins } from './admission.ts';

describe('the chain of an embedded server', () => {
  it('leaves out a plugin whose rules the server validates by itself', () => {
    expect(admissionPlugins().map(({ name }) => name)).toEqual(['component', 'claim']);
    expect(webhookPlugins().map(({ name }) => name)).toEqual([
      'component',
      'reservation',
      'unreserved-toleration',
      'claim-scheduler',
      'claim',
    ]);
  });

  it('leaves out a plugin whose controller does not run', () => {
    expect(admissionPlugins(() => false)).toEqual([]);
  });
});

describe('the webhooks that are registered', () => {
  it('are those that are served, in the phase in which the plugin has something to say', () => {
    const plugins = new Map(webhookPlugins().map((plugin) => [plugin.name, plugin]));
    expect([...plugins.keys()].toSorted()).toEqual(ADMISSION_CATALOGUE.map(({ name }) => name).toSorted());
    for (const { name, phase } of ADMISSION_CATALOGUE) expect(plugins.get(name)?.[phase]).toBeDefined();
  });

  it('ask about every generation of a KubernetesDaemonSet', () => {
    const component = ADMISSION_CATALOGUE[0]?.webhook;
    const asked = (component?.rules ?? []).flatMap(({ apiGroups = [], apiVersions = [], resources = [] }) =>
      apiGroups.flatMap((group) =>
        apiVersions.flatMap((version) => resources.map((resource) => ({ group, version, resource }))),
      ),
    );
    expect(asked.map(({ group, version }) => `${group}/${version}`).toSorted()).toEqual(API_VERSIONS.toSorted());
    expect(new Set(asked.map(({ resource }) => resource))).toEqual(new Set([COMPONENT_PLURAL]));
  });

  it('ask about Orders, Tickets and Quotas, not about their statuses', () => {
    const rules = ADMISSION_CATALOGUE.find(({ name }) => name === 'reservation')?.webhook.rules;
    expect(rules).toEqual([
      expect.objectContaining({ resources: ['orders', 'tickets'], scope: 'Namespaced' }),
      expect.objectContaining({ resources: ['quotas'], scope: 'Cluster' }),
    ]);
  });

  it('ask nothing that the plugin does not judge', () => {
    for (const { create, webhook } of ADMISSION_CATALOGUE) {
      const plugin = create();
      for (const { apiGroups = [], apiVersions = [], resources = [], operations = [] } of webhook.rules) {
        for (const group of apiGroups) {
          for (const version of apiVersions) {
            for (const resource of resources) {
              for (const operation of operations as readonly ('CREATE' | 'UPDATE')[]) {
                const request = { operation, resource: { group, version, resource }, subresource: '' };
                expect(plugin.handles(request), `${operation} ${group}/${version} ${resource}`).toBe(true);
                expect(plugin.handles({ ...request, subresource: 'status' })).toBe(false);
              }
            }
          }
        }
      }
    }
  });

  it('let nothing pass when nobody answers, within the time that API servers allow', () => {
    for (const { name, webhook } of ADMISSION_CATALOGUE) {
      const { failurePolicy, timeoutSeconds } = webhook;
      // DaemonSets must be possible without a webhook server; claimants are the only pods that wait for one.
      expect(failurePolicy).toBe(name === 'unreserved-toleration' ? 'Ignore' : 'Fail');
      expect(timeoutSeconds).toBeLessThanOrEqual(30);
    }
  });
});
