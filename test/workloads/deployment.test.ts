import { afterEach, describe, expect, it } from 'vitest';
import { DEPLOYMENTS } from '../../src/core/api/registry/resources.ts';
import { createWorkloadWorld, deployment, key, rolledOut, setImage, type WorkloadWorld } from './world.ts';

let house: WorkloadWorld;
afterEach(() => house?.stop());

describe('a Deployment', () => {
  it('makes a ReplicaSet named after its template, which makes pods', async () => {
    house = await createWorkloadWorld();
    await house.client.create(DEPLOYMENTS, deployment({ replicas: 3 }));
    await house.eventually(rolledOut(house, 3));
    const [set] = await house.sets();
    expect(set?.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{8,10}$/);
    const pods = await house.pods();
    expect(pods).toHaveLength(3);
    for (const pod of pods) {
      expect(pod.metadata.name).toMatch(new RegExp(`^${set?.metadata.name}-[a-z0-9]{5}$`));
      expect(pod.metadata.labels?.['pod-template-hash']).toBe(set?.metadata.labels?.['pod-template-hash']);
    }
  });

  it('rolls a new template out', async () => {
    house = await createWorkloadWorld();
    await house.client.create(DEPLOYMENTS, deployment({ replicas: 4 }));
    await house.eventually(rolledOut(house, 4));
    await setImage(house, 'example.test/web:2');
    await house.eventually(rolledOut(house, 4));
    const sets = await house.sets();
    expect(sets.map(({ spec }) => spec.replicas)).toEqual([0, 4]);
    await house.client.delete(DEPLOYMENTS, key());
  });
});
