/** Behaviour that vectors of single writes do not show: what is shared, what is fixed, what hostile keys do. */
import { describe, expect, it } from 'vitest';
import type { ConfigMap, LimitRange, Namespace, Node, Secret, Service } from '../types/core-v1.ts';
import { certificateRequestStrategy } from './certificate-request.ts';
import { configMapStrategy } from './config-map.ts';
import { leaseStrategy } from './lease.ts';
import { limitRangeStrategy } from './limit-range.ts';
import { validateFieldManager, validateManagedFields } from '../rules/managed-fields.ts';
import { validateObjectMeta } from '../rules/metadata.ts';
import { namespaceStrategy } from './namespace.ts';
import { nodeStrategy } from './node.ts';
import { secretStrategy } from './secret.ts';
import { serviceStrategy } from './service.ts';
import { nameIsDnsSubdomain } from '../../kube/names.ts';

const meta = (name: string, namespace?: string) => ({ name, ...(namespace ? { namespace } : {}) });
const service = (spec: object, status = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: meta('s', 'ns'),
  spec,
  status,
});
const node = (spec: object, status = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: meta('n'),
  spec,
  status,
});
const secret = (rest: object): Secret => ({ apiVersion: 'v1', kind: 'Secret', metadata: meta('s', 'ns'), ...rest });

describe('what needs no change', () => {
  it('is returned as it is, by defaulting and preparing', () => {
    const full = node({ podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] }, { capacity: {}, allocatable: {} });
    expect(nodeStrategy.defaults(full)).toBe(full);
    expect(nodeStrategy.prepareForCreate(full)).toBe(full);
    expect(nodeStrategy.prepareForUpdate(full, full, '')).toBe(full);
    const done = serviceStrategy.defaults(service({ ports: [{ port: 80 }] }));
    expect(serviceStrategy.defaults(done)).toBe(done);
    const named = namespaceStrategy.defaults({ apiVersion: 'v1', kind: 'Namespace', metadata: meta('x') } as Namespace);
    expect(namespaceStrategy.defaults(named)).toBe(named);
    const map: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('c', 'ns') };
    expect(configMapStrategy.prepareForUpdate(map, map, '')).toBe(map);
  });

  it('stays shared next to what changed', () => {
    const before = node({ taints: [] }, { capacity: { cpu: '4' } });
    const after = nodeStrategy.defaults(before);
    expect(after.spec).toBe(before.spec);
    expect(after.status?.allocatable).toBe(before.status?.capacity);
  });
});

describe('a service that changes its type', () => {
  const balanced = service(
    {
      type: 'LoadBalancer',
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1'],
      ipFamilies: ['IPv4'],
      ports: [{ name: 'a', port: 80, nodePort: 30080 }],
      allocateLoadBalancerNodePorts: true,
    },
    { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } },
  );

  it('loses what only the old type had', () => {
    const asked = service({ ...balanced.spec, type: 'ClusterIP' });
    const { spec, status } = serviceStrategy.prepareForUpdate(asked, balanced, '');
    expect(spec.ports).toEqual([{ name: 'a', port: 80 }]);
    expect(spec.allocateLoadBalancerNodePorts).toBeUndefined();
    expect(spec.clusterIP).toBe('10.0.0.1');
    expect(status).toEqual({ loadBalancer: {} });
  });

  it('keeps what the server allocated when the client leaves it out', () => {
    const asked = service({
      type: 'LoadBalancer',
      ports: [
        { name: 'a', port: 81 },
        { name: 'b', port: 82 },
      ],
    });
    const { spec } = serviceStrategy.prepareForUpdate(asked, balanced, '');
    expect(spec).toMatchObject({ clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'] });
    expect(spec.ports?.map((port) => port.nodePort)).toEqual([30080, undefined]);
  });

  it('gives its addresses up when it becomes a mere name', () => {
    const asked = service({ ...balanced.spec, type: 'ExternalName', externalName: 'x.com' });
    const { spec } = serviceStrategy.prepareForUpdate(asked, balanced, '');
    expect([spec.clusterIP, spec.clusterIPs, spec.ipFamilies]).toEqual([undefined, undefined, undefined]);
  });

  it('lets older clients speak of one address only', () => {
    expect(serviceStrategy.prepareForCreate(service({ clusterIP: 'None' })).spec.clusterIPs).toEqual(['None']);
    const old = service({ clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] });
    const changed = service({ clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.1'] });
    expect(serviceStrategy.prepareForUpdate(changed, old, '').spec.clusterIPs).toEqual(['10.0.0.2']);
  });
});

describe('secrets', () => {
  it('take stringData into data, where it wins', () => {
    const folded = secretStrategy.defaults(secret({ data: { a: 'AA==', b: 'AA==' }, stringData: { b: 'hé', c: '' } }));
    expect(folded.data).toEqual({ a: 'AA==', b: Buffer.from('hé').toString('base64'), c: '' });
    expect(folded).not.toHaveProperty('stringData');
    expect(folded.type).toBe('Opaque');
  });

  it('hold hostile keys as plain data', () => {
    const stringData = JSON.parse('{"__proto__":"x","constructor":"y"}') as { [key: string]: string };
    const folded = secretStrategy.defaults(secret({ stringData }));
    expect(Object.keys(folded.data ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(folded.data)).toBe(Object.prototype);
    expect(secretStrategy.validate(folded)).toEqual([]);
  });

  it('never show their contents in a message', () => {
    const broken = secret({ type: 'kubernetes.io/dockercfg', data: { '.dockercfg': 'c2VjcmV0IQ==' } });
    const errors = secretStrategy.validate(broken);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain('<secret contents redacted>');
    expect(JSON.stringify(errors)).not.toContain('secret!');
  });
});

describe('limit ranges', () => {
  it('fill in what follows from what is said', () => {
    const range: LimitRange = {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: meta('l', 'ns'),
      spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' }, default: { memory: '2Mi' } }] },
    };
    expect(limitRangeStrategy.defaults(range).spec?.limits?.[0]).toMatchObject({
      default: { cpu: '2', memory: '2Mi' },
      defaultRequest: { cpu: '2', memory: '2Mi' },
    });
  });
});

describe('certificate requests', () => {
  const request = (status: object) => ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: meta('c'),
    spec: { request: '', signerName: 'x.io/y', usages: ['client auth'] },
    status,
  });
  const old = request({ certificate: 'AA==' });
  const approved = [{ type: 'Approved', status: 'True' }];

  it('are approved in one subresource and answered in another', () => {
    const asked = request({ conditions: approved, certificate: 'BB==' });
    expect(certificateRequestStrategy.prepareForUpdate(asked, old, '').status).toEqual({ certificate: 'AA==' });
    expect(certificateRequestStrategy.prepareForUpdate(asked, old, 'approval').status).toEqual({
      certificate: 'AA==',
      conditions: approved,
    });
    expect(certificateRequestStrategy.prepareForUpdate(asked, old, 'status').status).toEqual(asked.status);
  });

  it('must say who is to sign what', () => {
    const empty = { ...request({}), spec: { request: '', signerName: '', usages: [], expirationSeconds: 5 } };
    expect(certificateRequestStrategy.validate(empty).map(({ field }) => field)).toEqual([
      'spec.usages',
      'spec.signerName',
      'spec.expirationSeconds',
    ]);
  });
});

describe('metadata', () => {
  const rules = { namespaced: true, name: nameIsDnsSubdomain };

  it('is judged without a finding when it is good', () => {
    expect(validateObjectMeta(meta('a', 'ns'), rules, 'metadata')).toEqual([]);
  });

  it('judges hostile label keys like any other', () => {
    const labels = JSON.parse('{"__proto__":"x","constructor":"bad value!"}') as { [key: string]: string };
    const errors = validateObjectMeta({ ...meta('a', 'ns'), labels }, rules, 'metadata');
    expect(errors.map(({ message }) => message.slice(0, 28))).toEqual([
      'Invalid value: "__proto__": ',
      'Invalid value: "bad value!":',
    ]);
  });

  it('counts bytes, not letters, of annotations', () => {
    const sized = (letter: string, count: number) =>
      validateObjectMeta({ ...meta('a', 'ns'), annotations: { k: letter.repeat(count) } }, rules, 'm').length;
    expect([sized('a', 262_143), sized('a', 262_144), sized('é', 131_071), sized('é', 131_072)]).toEqual([0, 1, 0, 1]);
  });

  it('names the character a field manager may not have', () => {
    expect(validateFieldManager('é\u0007x', 'm').map(({ message }) => message)).toEqual([
      expect.stringContaining('invalid character U+0007 (at position 2)'),
    ]);
    const entry = { manager: 'm', operation: 'Odd', fieldsType: 'V9', subresource: 'a'.repeat(300) };
    expect(validateManagedFields([entry], 'f').map(({ field }) => field)).toEqual([
      'f[0].operation',
      'f[0].fieldsType',
      'f[0].subresource',
    ]);
  });

  it('can be updated only with a version where a kind demands it', () => {
    expect(leaseStrategy.allowUnconditionalUpdate).toBe(false);
    expect(nodeStrategy.allowUnconditionalUpdate).toBe(true);
  });
});
