import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/objects.ts';
import { autoscalerConversion } from './convert-autoscalers.ts';
import { eventConversion } from './convert-events.ts';

const asObject = (value: object): KubeObject => value as KubeObject;

describe('events', () => {
  const core = asObject({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'default' },
    involvedObject: { kind: 'Pod', name: 'p' },
    reason: 'Started',
    message: 'Started container',
    source: { component: 'kubelet' },
    firstTimestamp: '2024-01-01T00:00:00Z',
    lastTimestamp: '2024-01-01T00:00:05Z',
    count: 2,
    type: 'Normal',
    series: { count: 2, lastObservedTime: '2024-01-01T00:00:05.000000Z' },
    reportingComponent: 'kubelet',
    reportingInstance: 'n1',
  });
  const events = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'default' },
    regarding: { kind: 'Pod', name: 'p' },
    reason: 'Started',
    note: 'Started container',
    deprecatedSource: { component: 'kubelet' },
    deprecatedFirstTimestamp: '2024-01-01T00:00:00Z',
    deprecatedLastTimestamp: '2024-01-01T00:00:05Z',
    deprecatedCount: 2,
    type: 'Normal',
    series: { count: 2, lastObservedTime: '2024-01-01T00:00:05.000000Z' },
    reportingController: 'kubelet',
    reportingInstance: 'n1',
  };

  it('are renamed field by field, both ways', () => {
    expect(eventConversion.fromStorage(core)).toEqual(events);
    expect(eventConversion.toStorage(asObject(events))).toEqual(core);
  });

  it('are converted once per stored object', () => {
    expect(eventConversion.fromStorage(core)).toBe(eventConversion.fromStorage(core));
  });
});

describe('autoscalers', () => {
  const cpu = {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
  };
  const memory = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
  };
  const v2 = asObject({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h', namespace: 'default', annotations: { kept: 'yes' } },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      maxReplicas: 5,
      metrics: [cpu, memory],
      behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
    },
    status: {
      currentReplicas: 1,
      desiredReplicas: 2,
      currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 70 } } }],
      conditions: [{ type: 'AbleToScale', status: 'True' }],
    },
  });

  it('show the CPU target in v1 and carry the rest in annotations', () => {
    expect(autoscalerConversion.fromStorage(v2)).toEqual({
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: {
        name: 'h',
        namespace: 'default',
        annotations: {
          kept: 'yes',
          'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify([memory]),
          'autoscaling.alpha.kubernetes.io/behavior': '{"scaleDown":{"stabilizationWindowSeconds":60}}',
          'autoscaling.alpha.kubernetes.io/current-metrics':
            '[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":70}}}]',
          'autoscaling.alpha.kubernetes.io/conditions': '[{"type":"AbleToScale","status":"True"}]',
        },
      },
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
        maxReplicas: 5,
        targetCPUUtilizationPercentage: 80,
      },
      status: { currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 70 },
    });
  });

  it('survive a read and write through v1', () => {
    expect(autoscalerConversion.toStorage(autoscalerConversion.fromStorage(v2))).toEqual(v2);
  });

  it('show one that has not measured anything yet', () => {
    const status = { currentMetrics: null, desiredReplicas: 0 };
    expect(autoscalerConversion.fromStorage(asObject({ ...v2, status }))).toMatchObject({
      status: { currentReplicas: 0, desiredReplicas: 0 },
    });
  });

  it('take a plain v1 object', () => {
    const v1 = asObject({
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h', annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '{broken' } },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3, targetCPUUtilizationPercentage: 80 },
      status: { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 10 },
    });
    expect(autoscalerConversion.toStorage(v1)).toEqual({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3, metrics: [cpu] },
      status: {
        currentReplicas: 1,
        desiredReplicas: 1,
        currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 10 } } }],
      },
    });
  });
});
