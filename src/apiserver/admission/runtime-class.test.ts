import { describe, expect, it } from 'vitest';
import { PODS, RUNTIME_CLASSES } from '../../core/api/registry/resources.ts';
import type { PodSpec, Toleration } from '../../core/api/types/core-v1.ts';
import type { RuntimeClass } from '../../core/api/types/node-v1.ts';
import { failure, pod } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';

const runtimeClass = (rest: Partial<RuntimeClass> = {}): RuntimeClass => ({
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'boxed' },
  handler: 'boxed',
  ...rest,
});
const BOXED = { runtimeClassName: 'boxed' } as const;

async function serverWith(rest: Partial<RuntimeClass>) {
  const { client } = await createTestServer();
  await client.create(RUNTIME_CLASSES, runtimeClass(rest));
  const create = async (spec: Partial<PodSpec>): Promise<PodSpec> => (await client.create(PODS, pod('a', spec))).spec;
  return { client, create };
}

const refusal = async (promise: Promise<unknown>): Promise<string> => {
  const { code, message } = await failure(promise);
  expect(code).toBe(403);
  return message.replace('pods "a" is forbidden: ', '');
};

describe('RuntimeClass', () => {
  it('says what a pod costs besides its containers', async () => {
    const { create } = await serverWith({ overhead: { podFixed: { cpu: '250m', 'example.test/x': '2' } } });
    expect((await create(BOXED)).overhead).toEqual({ cpu: '250m', 'example.test/x': '2' });
  });

  it('takes the same cost in other words, and no other', async () => {
    const { client, create } = await serverWith({ overhead: { podFixed: { cpu: '250m' } } });
    expect((await create({ ...BOXED, overhead: { cpu: '0.25' } })).overhead).toBeDefined();
    await client.delete(PODS, { namespace: 'default', name: 'a' });
    const text = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
    expect(await refusal(create({ ...BOXED, overhead: { cpu: '1' } }))).toBe(text);
    expect(await refusal(create({ ...BOXED, overhead: { memory: '250m' } }))).toBe(text);
  });

  it('lets nobody invent a cost', async () => {
    const { create } = await serverWith({});
    const text = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';
    expect(await refusal(create({ overhead: { cpu: '1' } }))).toBe(text);
    expect(await refusal(create({ ...BOXED, overhead: { cpu: '1' } }))).toBe(text);
    expect((await create(BOXED)).overhead).toBeUndefined();
  });

  it('must be there', async () => {
    const { create } = await serverWith({});
    expect(await refusal(create({ runtimeClassName: 'none' }))).toBe('pod rejected: RuntimeClass "none" not found');
  });

  it('leads pods to nodes that can run them', async () => {
    const tolerations: readonly Toleration[] = [{ key: 'box', operator: 'Exists', effect: 'NoSchedule' }];
    const { client, create } = await serverWith({ scheduling: { nodeSelector: { box: 'yes' }, tolerations } });
    const alone = await create(BOXED);
    expect(alone.nodeSelector).toEqual({ box: 'yes' });
    expect(alone.tolerations).toEqual(expect.arrayContaining([...tolerations]));
    await client.delete(PODS, { namespace: 'default', name: 'a' });
    const own: Toleration = { key: 'box', operator: 'Equal', value: 'red', effect: 'NoSchedule' };
    const both = await create({ ...BOXED, nodeSelector: { disk: 'fast', box: 'yes' }, tolerations: [own] });
    expect(both.nodeSelector).toEqual({ disk: 'fast', box: 'yes' });
    expect(both.tolerations?.filter(({ key }) => key === 'box')).toEqual(tolerations);
    await client.delete(PODS, { namespace: 'default', name: 'a' });
    expect(await refusal(create({ ...BOXED, nodeSelector: { box: 'no' } }))).toBe(
      'conflict: runtimeClass.scheduling.nodeSelector[box] = yes; pod.spec.nodeSelector[box] = no',
    );
  });

  it('adds no toleration that the pod has already, and keeps what says more', async () => {
    const { create } = await serverWith({
      scheduling: {
        tolerations: [
          { key: 'a', operator: 'Equal', value: '1', effect: 'NoSchedule' },
          { key: 'b', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
          { key: 'c', operator: 'Exists', effect: 'NoSchedule' },
        ],
      },
    });
    const spec = await create({
      ...BOXED,
      tolerations: [
        { key: 'a', operator: 'Exists' },
        { key: 'b', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
        { key: 'c', operator: 'Exists', effect: 'NoSchedule' },
      ],
    });
    expect(spec.tolerations?.filter(({ key }) => key?.length === 1)).toEqual([
      { key: 'a', operator: 'Exists' },
      { key: 'c', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'b', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    ]);
  });
});
