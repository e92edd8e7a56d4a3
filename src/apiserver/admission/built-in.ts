/** The plugins an embedded API server runs by default, in Kubernetes' order. */
import type { STORAGE_PROTECTION } from '../../core/kube/storage-protection.ts';
import type { AdmissionPlugin } from '../../machinery/ports/admission.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Store } from '../store/store.ts';
import { createDefaultTolerationSeconds } from './default-toleration-seconds.ts';
import { createLimitRanger } from './limit-ranger.ts';
import { createNamespaceLifecycle } from './namespace-lifecycle.ts';
import { createPodSecurity, type PodSecurityOptions } from './pod-security.ts';
import { createPodTopologyLabels } from './pod-topology-labels.ts';
import { createPriority } from './priority.ts';
import { createResourceQuotaAdmission } from './resource-quota.ts';
import { createRuntimeClassAdmission } from './runtime-class.ts';
import { type ServiceAccountOptions, createServiceAccountAdmission } from './service-account.ts';
import { createStorageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { createTaintNodesByCondition } from './taint-nodes-by-condition.ts';

export interface BuiltInAdmissionOptions {
  readonly store: Store;
  readonly serviceAccount?: ServiceAccountOptions;
  readonly podSecurity?: PodSecurityOptions;
  /** Only together with a controller that removes the taint again; without one no node would ever be used. */
  readonly taintNodesByCondition?: boolean;
  /** Resources (`group/resource`) whose objects get the finalizer that keeps what is in use; with its controllers only. */
  readonly protects?: readonly (keyof typeof STORAGE_PROTECTION)[];
  /** Plugins to leave out, by name. */
  readonly disabled?: readonly string[];
}

export function builtInAdmission(options: BuiltInAdmissionOptions): readonly AdmissionPlugin[] {
  const { store } = options;
  const plugins = [
    createNamespaceLifecycle(store),
    createLimitRanger(store),
    createServiceAccountAdmission(store, options.serviceAccount),
    ...(options.taintNodesByCondition === true ? [createTaintNodesByCondition()] : []),
    createPodSecurity(store, options.podSecurity),
    createPriority(store),
    createDefaultTolerationSeconds(),
    ...(options.protects === undefined || options.protects.length === 0
      ? []
      : [createStorageObjectInUseProtection(options.protects)]),
    createRuntimeClassAdmission(store),
    createPodTopologyLabels(store),
  ];
  return without(plugins, options.disabled);
}

export interface ClosingAdmissionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly disabled?: readonly string[];
}

/** The plugins that run last, after all other plugins and all webhooks: only an admitted object takes from a quota. */
export function closingAdmission({ store, clock, disabled }: ClosingAdmissionOptions): readonly AdmissionPlugin[] {
  return without([createResourceQuotaAdmission(store, clock)], disabled);
}

const without = (plugins: readonly AdmissionPlugin[], names: readonly string[] = []): readonly AdmissionPlugin[] =>
  names.length === 0 ? plugins : plugins.filter(({ name }) => !names.includes(name));
