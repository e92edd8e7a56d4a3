import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { generateComponent } from './component.ts';
import { generateControllers } from './controllers.ts';
import { errorCodes, generateErrors } from './errors.ts';
import { constantName, generateResources } from './resources.ts';
import { generateTypes } from './types.ts';

const committed = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('generated files', () => {
  it.each([
    ...generateTypes(),
    ...generateResources(),
    ...generateErrors(),
    ...generateComponent(),
    ...generateControllers(),
  ])('%s is what the facts say (npm run generate)', (path, text) => {
    expect(committed(path)).toBe(text);
  });
});

describe('error codes', () => {
  it('are all documented', () => {
    const source = fileURLToPath(new URL('../../src', import.meta.url));
    const used = new Set(
      globSync('**/*.ts', { cwd: source })
        .filter((file) => !file.endsWith('.test.ts'))
        .flatMap((file) => readFileSync(`${source}/${file}`, 'utf8').match(/(?<=['"`])EN_[A-Z]+_[A-Z_]+/g) ?? []),
    );
    expect([...used].filter((code) => !errorCodes().has(code))).toEqual([]);
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
