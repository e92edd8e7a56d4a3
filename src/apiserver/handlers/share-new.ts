import type { KubeObject } from '../../core/kube/objects.ts';

export const shareNewObject = <T extends KubeObject>(object: T): T => object;
