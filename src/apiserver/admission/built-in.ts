/** The plugins an embedded API server runs by default, in Kubernetes' order. */
import type { AdmissionPlugin } from '../../machinery/admission.ts';
import type { Store } from '../store/store.ts';
import { createDefaultTolerationSeconds } from './default-toleration-seconds.ts';
import { createNamespaceLifecycle } from './namespace-lifecycle.ts';
import { createPriority } from './priority.ts';
import { type ServiceAccountOptions, createServiceAccountAdmission } from './service-account.ts';
import { createTaintNodesByCondition } from './taint-nodes-by-condition.ts';

export interface BuiltInAdmissionOptions {
  readonly store: Store;
  readonly serviceAccount?: ServiceAccountOptions;
  /** Only together with a controller that removes the taint again; without one no node would ever be used. */
  readonly taintNodesByCondition?: boolean;
}

export function builtInAdmission(options: BuiltInAdmissionOptions): readonly AdmissionPlugin[] {
  const { store } = options;
  return [
    createNamespaceLifecycle(store),
    createServiceAccountAdmission(store, options.serviceAccount),
    ...(options.taintNodesByCondition === true ? [createTaintNodesByCondition()] : []),
    createPriority(store),
    createDefaultTolerationSeconds(),
  ];
}
