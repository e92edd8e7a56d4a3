import type { KubeObject } from '../../core/kube/objects.ts';

export type Severity = 'Normal' | 'Warning';
export type Tell = (object: KubeObject, type: Severity, reason: string, note: string) => void;
