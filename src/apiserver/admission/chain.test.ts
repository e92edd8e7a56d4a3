import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../core/api/registry/registry.ts';
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { forbiddenRequest } from '../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../../machinery/ports/admission.ts';
import { LOOPBACK } from '../contract/users.ts';
import { configMap, thrown } from '../testing/samples.ts';
import { createAdmissionChain } from './chain.ts';

const KIND = createRegistry().byKind('', 'v1', 'ConfigMap') as KindDefinition;
const request: AdmissionRequest = {
  operation: 'CREATE',
  resource: KIND,
  kind: 'ConfigMap',
  subresource: '',
  tenant: 'system',
  namespace: 'default',
  name: 'a',
  object: configMap('a'),
  dryRun: false,
  user: LOOPBACK,
};

const labelled = (object: KubeObject | undefined, text: string): KubeObject => {
  const labels = { trail: `${object?.metadata.labels?.['trail'] ?? ''}${text}` };
  return { ...(object as KubeObject), metadata: { ...(object as KubeObject).metadata, labels } };
};
const stamp = (text: string, later = false): AdmissionPlugin => ({
  name: text,
  handles: () => true,
  mutate: ({ object }) => {
    const answer = { allowed: true, object: labelled(object, text), warnings: [text] } as const;
    return later ? Promise.resolve(answer) : answer;
  },
});
const trail = (object: KubeObject | undefined): string | undefined => object?.metadata.labels?.['trail'];

describe('the chain', () => {
  it('runs plugins in order, each on what the one before made', () => {
    const warnings: string[] = [];
    const chain = createAdmissionChain([stamp('a'), stamp('b'), stamp('c')]);
    const result = chain.mutate(KIND, request, (text) => void warnings.push(text));
    expect(trail(result as KubeObject)).toBe('abc');
    expect(warnings).toEqual(['a', 'b', 'c']);
  });

  it('becomes asynchronous only behind a plugin that is', async () => {
    const chain = createAdmissionChain([stamp('a'), stamp('b', true), stamp('c')]);
    const result = chain.mutate(KIND, request, undefined);
    expect(result).toBeInstanceOf(Promise);
    expect(trail(await result)).toBe('abc');
  });

  it('leaves the object alone when nobody looks at it', () => {
    const idle: AdmissionPlugin = { ...stamp('x'), handles: () => false };
    expect(createAdmissionChain([idle]).mutate(KIND, request, undefined)).toBe(request.object);
  });

  it('asks which plugins look at what once, not for every request', () => {
    let asked = 0;
    const counting: AdmissionPlugin = {
      ...stamp('x'),
      handles: ({ operation }) => {
        asked++;
        return operation === 'CREATE';
      },
    };
    const chain = createAdmissionChain([counting]);
    for (let i = 0; i < 3; i++) void chain.mutate(KIND, request, undefined);
    expect(asked).toBe(1);
    expect(chain.mutate(KIND, { ...request, operation: 'UPDATE' }, undefined)).toBe(request.object);
    expect(chain.mutate(KIND, { ...request, subresource: 'status' }, undefined)).not.toBe(request.object);
    expect(asked).toBe(3);
  });

  it('tells what a plugin warns of, even when it refuses', () => {
    const warnings: string[] = [];
    const error = forbiddenRequest(KIND, 'a', 'no');
    const refusing: AdmissionPlugin = {
      name: 'no',
      handles: () => true,
      validate: () => ({ allowed: false, error, warnings: ['and better not try again'] }),
    };
    const chain = createAdmissionChain([refusing]);
    expect(thrown(() => chain.validate(KIND, request, (text) => void warnings.push(text)))).toBe(error);
    expect(warnings).toEqual(['and better not try again']);
  });

  it('stops at the first refusal, now or later', async () => {
    const error = forbiddenRequest(KIND, 'a', 'no');
    const seen: string[] = [];
    const spy: AdmissionPlugin = {
      name: 'spy',
      handles: () => true,
      mutate: () => {
        seen.push('mutate');
        return { allowed: true };
      },
      validate: () => {
        seen.push('validate');
        return { allowed: true };
      },
    };
    const refusing = (later: boolean): AdmissionPlugin => {
      const answer = { allowed: false, error } as const;
      const give = () => (later ? Promise.resolve(answer) : answer);
      return { name: 'no', handles: () => true, mutate: give, validate: give };
    };
    const now = createAdmissionChain([refusing(false), spy]);
    expect(thrown(() => now.mutate(KIND, request, undefined))).toBe(error);
    expect(thrown(() => now.validate(KIND, request, undefined))).toBe(error);
    const later = createAdmissionChain([refusing(true), spy]);
    await expect(later.mutate(KIND, request, undefined)).rejects.toBe(error);
    await expect(later.validate(KIND, request, undefined)).rejects.toBe(error);
    expect(seen).toEqual([]);
  });
});
