import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Toleration } from '../../../core/api/types/core-v1.ts';
import type { AdmissionRequest } from '../../../machinery/ports/admission.ts';
import { createTolerationAdmission } from './daemon-tolerations.ts';

const ADDED = { key: 'everynode.dev/unreserved', operator: 'Exists', effect: 'NoSchedule' };

const daemonSet = (tolerations?: readonly Toleration[], image = 'cni:1', labels = {}): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'cni', namespace: 'kube-system', labels },
  spec: {
    selector: { matchLabels: { app: 'cni' } },
    template: {
      metadata: { labels: { app: 'cni' } } as never,
      spec: { containers: [{ name: 'cni', image }], ...(tolerations === undefined ? {} : { tolerations }) },
    },
  },
});

/** The tolerations after admission; undefined: the object was left alone. */
async function ask(object: DaemonSet, oldObject?: DaemonSet): Promise<readonly Toleration[] | undefined> {
  const request = { operation: oldObject === undefined ? 'CREATE' : 'UPDATE', object, oldObject };
  const answer = await createTolerationAdmission().mutate?.(request as unknown as AdmissionRequest);
  if (answer?.allowed !== true) throw new Error('DaemonSets are never refused');
  return (answer.object as DaemonSet | undefined)?.spec.template.spec?.tolerations;
}

describe('a DaemonSet beside kube-controller-manager', () => {
  it('tolerates nodes that are being reserved, besides what its author wrote', async () => {
    expect(await ask(daemonSet())).toEqual([ADDED]);
    const own: Toleration = { key: 'gpu', operator: 'Exists' };
    expect(await ask(daemonSet([own]))).toEqual([own, ADDED]);
  });

  it('is left alone where it tolerates them already', async () => {
    for (const toleration of [ADDED, { operator: 'Exists' }, { ...ADDED, effect: undefined as never }])
      expect(await ask(daemonSet([toleration]))).toBeUndefined();
    expect(await ask(daemonSet([{ ...ADDED, effect: 'NoExecute' }]))).toHaveLength(2);
  });

  it('is not rolled out for the toleration alone', async () => {
    expect(await ask(daemonSet(undefined, 'cni:1', { a: 'b' }), daemonSet())).toBeUndefined();
  });

  it('gets the toleration with the next rollout, and keeps it when its author applies the manifest again', async () => {
    expect(await ask(daemonSet(undefined, 'cni:2'), daemonSet())).toEqual([ADDED]);
    expect(await ask(daemonSet(), daemonSet([ADDED]))).toEqual([ADDED]);
  });

  it('is asked about when it is made or changed, not when its status is', () => {
    const { handles } = createTolerationAdmission();
    const resource = { group: 'apps', version: 'v1', resource: 'daemonsets' };
    expect(handles({ operation: 'UPDATE', resource, subresource: '' })).toBe(true);
    expect(handles({ operation: 'UPDATE', resource, subresource: 'status' })).toBe(false);
    expect(handles({ operation: 'DELETE', resource, subresource: '' })).toBe(false);
    expect(handles({ operation: 'CREATE', resource: { ...resource, resource: 'deployments' }, subresource: '' })).toBe(
      false,
    );
  });
});
