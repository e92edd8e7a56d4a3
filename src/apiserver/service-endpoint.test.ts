import { describe, expect, it } from 'vitest';
import type { EndpointSlice } from '../core/api/types/discovery-v1.ts';
import { serviceEndpoint } from './service-endpoint.ts';
import type { Store } from './store/store.ts';

type Endpoints = EndpointSlice['endpoints'];

const ENTERED: Endpoints = [{ addresses: ['192.0.2.1'] }];
const pod = (nodeName: string, ready = true): NonNullable<Endpoints>[number] => ({
  addresses: [`192.0.2.${nodeName.length}`],
  conditions: { ready },
  nodeName,
  targetRef: { kind: 'Pod', name: 'p' },
});

const NODES: { readonly [name: string]: { readonly [key: string]: string } } = {
  simulated: { 'everynode.dev/simulated': 'true' },
  released: { 'everynode.dev/simulated': 'false' },
  real: {},
};

/** One Service with these endpoints, and three nodes. */
const storeOf = (endpoints: Endpoints): Store => {
  const slice = { metadata: { labels: { 'kubernetes.io/service-name': 'hooks' } }, ports: [{ port: 8443 }], endpoints };
  return {
    get({ resource, name }: { resource: string; name: string }) {
      if (resource === 'services')
        return name === 'hooks' ? { metadata: {}, spec: { ports: [{ port: 443 }] } } : undefined;
      return name in NODES ? { metadata: { name, annotations: NODES[name] } } : undefined;
    },
    list: () => [slice],
  } as unknown as Store;
};
const HOOKS = { namespace: 'default', name: 'hooks' };

describe('the endpoint of a service', () => {
  it.each([
    ['that somebody entered', ENTERED, '192.0.2.1'],
    ['that is a pod of a node with a kubelet', [pod('simulated'), pod('real')], '192.0.2.4'],
    ['that is a pod of a node the fleet let go', [pod('released')], '192.0.2.8'],
    ['that is ready', [pod('real', false), pod('released')], '192.0.2.8'],
  ])('is one %s', (_, endpoints, host) => {
    expect(serviceEndpoint(HOOKS, storeOf(endpoints))).toEqual({ host, port: 8443 });
  });

  it.each([
    ['one simulated pod', [pod('simulated')], 'has one endpoint, a pod of simulated nodes, in which nothing runs'],
    [
      'simulated pods and pods of nodes that are gone',
      [pod('simulated'), pod('gone')],
      'has 2 endpoints, all of them pods of simulated nodes',
    ],
    ['pods that are not ready', [pod('simulated', false)], 'no endpoints available for service "hooks"'],
    ['none', [], 'no endpoints available for service "hooks"'],
  ])('is none of %s', (_, endpoints, why) => {
    expect(() => serviceEndpoint(HOOKS, storeOf(endpoints))).toThrow(why);
  });

  it('says which service or port is not there', () => {
    expect(() => serviceEndpoint({ namespace: 'default', name: 'no' }, storeOf([]))).toThrow('service "no" not found');
    expect(() => serviceEndpoint({ ...HOOKS, port: 80 }, storeOf([]))).toThrow('no service port 80 found');
  });
});
