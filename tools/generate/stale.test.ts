import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { constantName, generateResources } from './resources.ts';
import { generateTypes } from './types.ts';

const committed = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('generated files', () => {
  it.each([...generateTypes(), ...generateResources()])('%s is what the facts say (npm run generate)', (path, text) => {
    expect(committed(path)).toBe(text);
  });
});

describe('constantName', () => {
  it.each([
    ['Pod', 'pods', 'PODS'],
    ['NetworkPolicy', 'networkpolicies', 'NETWORK_POLICIES'],
    ['CSIDriver', 'csidrivers', 'CSI_DRIVERS'],
    ['IPAddress', 'ipaddresses', 'IP_ADDRESSES'],
    ['ServiceCIDR', 'servicecidrs', 'SERVICE_CIDRS'],
    ['Endpoints', 'endpoints', 'ENDPOINTS'],
  ])('%s (%s) is %s', (kind, resource, name) => {
    expect(constantName({ kind, resource })).toBe(name);
  });
});
