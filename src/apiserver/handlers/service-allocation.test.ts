import { describe, expect, it } from 'vitest';
import { SERVICES } from '../../core/api/registry/resources.ts';
import type { Service, ServiceSpec } from '../../core/api/types/core-v1.ts';
import { failure } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';

const service = (name: string, spec: ServiceSpec = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: { ports: [{ port: 80 }], selector: { app: 'x' }, ...spec },
});
const A = { namespace: 'default', name: 'a' };

describe('cluster IPs', () => {
  it('are given out, each once, however many ask at the same time', async () => {
    const { client } = await createTestServer();
    const made = await Promise.all(Array.from({ length: 50 }, (_, i) => client.create(SERVICES, service(`s${i}`))));
    const ips = made.map(({ spec }) => spec?.clusterIP ?? '');
    expect(new Set(ips).size).toBe(50);
    expect(ips.every((ip) => ip.startsWith('10.96.'))).toBe(true);
    expect(made[0]?.spec).toMatchObject({
      clusterIPs: [ips[0]],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
  });

  it('can be chosen, unless somebody has them', async () => {
    const { client } = await createTestServer();
    const chosen = await client.create(SERVICES, service('a', { clusterIP: '10.96.0.10' }));
    expect(chosen.spec?.clusterIPs).toEqual(['10.96.0.10']);
    const error = await failure(client.create(SERVICES, service('b', { clusterIP: '10.96.0.10' })));
    expect(error.code).toBe(422);
    expect(error.message).toContain('failed to allocate IP 10.96.0.10: provided IP is already allocated');
  });

  it('come back when a service goes', async () => {
    const { client } = await createTestServer();
    const { clusterIP = '' } = (await client.create(SERVICES, service('a'))).spec ?? {};
    await client.delete(SERVICES, A);
    const next = await client.create(SERVICES, service('b', { clusterIP }));
    expect(next.spec?.clusterIP).toBe(clusterIP);
  });

  it('come back to a service whose first try was refused', async () => {
    const { client } = await createTestServer();
    const wrong = service('a', { clusterIP: '10.96.0.10', ports: [{ port: 0 }] });
    expect((await failure(client.create(SERVICES, wrong))).code).toBe(422);
    const other = await failure(client.create(SERVICES, service('b', { clusterIP: '10.96.0.10' })));
    expect(other.message).toContain('provided IP is already allocated');
    const made = await client.create(SERVICES, service('a', { clusterIP: '10.96.0.10' }));
    expect(made.spec?.clusterIP).toBe('10.96.0.10');
  });

  it.each(['1.2.3.4', '10.96.0.0', '10.111.255.255', '10.112.0.1', '10.95.255.255'])(
    'must be of the range: %s',
    async (clusterIP) => {
      const { client } = await createTestServer();
      const error = await failure(client.create(SERVICES, service('a', { clusterIP })));
      expect(error.code).toBe(422);
      expect(error.message).toBe(
        `Service "a" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: the provided network does not match the current range`,
      );
    },
  );

  it('must be of the one family the cluster has', async () => {
    const { client } = await createTestServer();
    const error = await failure(client.create(SERVICES, service('a', { clusterIP: 'fd00::1' })));
    expect(error.message).toBe(
      'Service "a" is invalid: spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster',
    );
  });

  it.each(['10.96.0.1', '10.111.255.254', '10.100.7.255'])('may be any other of the range: %s', async (clusterIP) => {
    const { client } = await createTestServer();
    expect((await client.create(SERVICES, service('a', { clusterIP }))).spec?.clusterIP).toBe(clusterIP);
  });

  it('stay with their service', async () => {
    const { client } = await createTestServer();
    const { spec } = await client.create(SERVICES, service('a'));
    const updated = await client.update(SERVICES, service('a', { ports: [{ port: 81 }] }));
    expect(updated.spec?.clusterIP).toBe(spec?.clusterIP);
  });

  it('are not taken by a change that is refused', async () => {
    const { client } = await createTestServer();
    await client.create(SERVICES, service('a'));
    const refused = await failure(client.update(SERVICES, service('a', { clusterIP: '10.96.0.10' })));
    expect(refused.message).toContain('may not change once set');
    const chosen = await client.create(SERVICES, service('b', { clusterIP: '10.96.0.10' }));
    expect(chosen.spec?.clusterIP).toBe('10.96.0.10');
  });

  it('are not for headless or external services', async () => {
    const { client } = await createTestServer();
    const headless = await client.create(SERVICES, service('a', { clusterIP: 'None' }));
    expect(headless.spec).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv4'] });
    const { selector: _, ...rest } = service('b').spec ?? {};
    const byHand = await client.create(SERVICES, { ...service('b'), spec: { ...rest, clusterIP: 'None' } });
    expect(byHand.spec?.ipFamilyPolicy).toBe('RequireDualStack');
    const one = { ...rest, clusterIP: 'None', ipFamilies: ['IPv6'], ipFamilyPolicy: 'PreferDualStack' };
    const both = await client.create(SERVICES, { ...service('d'), spec: one });
    expect(both.spec).toMatchObject({ ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' });
    const single = { ...rest, clusterIP: 'None', ipFamilyPolicy: 'SingleStack' };
    const alone = await client.create(SERVICES, { ...service('e'), spec: single });
    expect(alone.spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
    const external = await client.create(SERVICES, service('c', { type: 'ExternalName', externalName: 'x.test' }));
    expect(external.spec?.clusterIP ?? '').toBe('');
  });

  it('are of the one family the cluster has', async () => {
    const { client } = await createTestServer();
    expect((await failure(client.create(SERVICES, service('a', { ipFamilies: ['IPv6'] })))).message).toContain(
      'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    );
    const dual = await failure(client.create(SERVICES, service('a', { ipFamilyPolicy: 'RequireDualStack' })));
    expect(dual.message).toContain('this cluster is not configured for dual-stack services');
    // Endpoints of a headless service with a selector are made by a controller, and only of the family there is.
    const headless = service('a', {
      clusterIP: 'None',
      ipFamilyPolicy: 'RequireDualStack',
      ipFamilies: ['IPv4', 'IPv6'],
    });
    expect(
      (await failure(client.create(SERVICES, headless))).status.details?.causes?.map(({ field }) => field),
    ).toEqual(['spec.ipFamilyPolicy', 'spec.ipFamilies[1]']);
  });

  it('are not used up by dry runs', async () => {
    const { client } = await createTestServer();
    const dry = await client.create(SERVICES, service('a'), { dryRun: true });
    const real = await client.create(SERVICES, service('a'));
    expect(real.spec?.clusterIP).toBe(dry.spec?.clusterIP);
  });
});

describe('node ports', () => {
  it('are given to services that are reached through nodes', async () => {
    const { client } = await createTestServer();
    const ports = [
      { name: 'a', port: 80 },
      { name: 'b', port: 81, nodePort: 30_500 },
    ];
    const { spec } = await client.create(SERVICES, service('a', { type: 'NodePort', ports }));
    const [first, second] = spec?.ports ?? [];
    expect(first?.nodePort).toBeGreaterThanOrEqual(30_000);
    expect(first?.nodePort).toBeLessThanOrEqual(32_767);
    expect(second?.nodePort).toBe(30_500);
    const taken = [{ port: 80, nodePort: 30_500 }];
    const error = await failure(client.create(SERVICES, service('b', { type: 'NodePort', ports: taken })));
    expect(error.message).toContain('spec.ports[0].nodePort: Invalid value: 30500: provided port is already allocated');
  });

  it.each([80, 29_999, 32_768])('must be of the range: %d', async (nodePort) => {
    const { client } = await createTestServer();
    const error = await failure(
      client.create(SERVICES, service('a', { type: 'NodePort', ports: [{ port: 80, nodePort }] })),
    );
    expect(error.code).toBe(422);
    expect(error.message).toBe(
      `Service "a" is invalid: spec.ports[0].nodePort: Invalid value: ${nodePort}: provided port is not in the valid range. The range of valid ports is 30000-32767`,
    );
  });

  it('are free again when the service is gone', async () => {
    const { client } = await createTestServer();
    const spec: ServiceSpec = { type: 'NodePort', ports: [{ port: 80, nodePort: 30_080 }] };
    await client.create(SERVICES, service('a', spec));
    expect((await failure(client.create(SERVICES, service('b', spec)))).message).toContain('already allocated');
    await client.delete(SERVICES, A);
    expect((await client.create(SERVICES, service('b', spec))).spec?.ports?.[0]?.nodePort).toBe(30_080);
  });

  it('for health checks are given out once', async () => {
    const { client } = await createTestServer();
    const spec: ServiceSpec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    await client.create(SERVICES, service('a', { ...spec, healthCheckNodePort: 30_080 }));
    const error = await failure(client.create(SERVICES, service('b', { ...spec, healthCheckNodePort: 30_080 })));
    expect(error.message).toBe(
      'Internal error occurred: failed to allocate requested HealthCheck NodePort 30080: provided port is already allocated',
    );
  });

  it('come and go with the type', async () => {
    const { client } = await createTestServer();
    await client.create(SERVICES, service('a'));
    const open = await client.update(SERVICES, service('a', { type: 'NodePort' }));
    expect(open.spec?.ports?.[0]?.nodePort).toBeGreaterThan(0);
    const again = await client.update(SERVICES, { ...open, metadata: { ...A, labels: { x: 'y' } } });
    expect(again.spec?.ports).toEqual(open.spec?.ports);
    const closed = await client.update(SERVICES, { ...again, spec: { ...again.spec, type: 'ClusterIP' } });
    expect(closed.spec?.ports?.[0]?.nodePort ?? 0).toBe(0);
  });

  it('tell a load balancer where to ask for health', async () => {
    const { client } = await createTestServer();
    const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    const made = await client.create(SERVICES, service('a', spec));
    expect(made.spec?.healthCheckNodePort).toBeGreaterThan(0);
    expect(made.spec?.healthCheckNodePort).not.toBe(made.spec?.ports?.[0]?.nodePort);
  });
});
