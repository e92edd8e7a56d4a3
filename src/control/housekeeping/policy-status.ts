/** Says in the status of every ValidatingAdmissionPolicy whether its expressions fit the types they are about. */
import { typeCheckingWarnings } from '../../core/api/registry/type-checking.ts';
import type { Registry } from '../../core/api/registry/registry.ts';
import { VALIDATING_ADMISSION_POLICIES } from '../../core/api/registry/resources.ts';
import type { ValidatingAdmissionPolicy } from '../../core/api/types/admissionregistration-v1.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { Actor } from '../../machinery/actor.ts';
import { createController } from '../../machinery/controller/controller.ts';
import type { KeeperOptions } from './keeper.ts';

const NAME = 'validatingadmissionpolicy-status';

export interface PolicyStatusOptions extends KeeperOptions {
  /** The kinds that policies may match. */
  readonly registry: Pick<Registry, 'byResource' | 'byKind'>;
}

export function createPolicyStatus(options: PolicyStatusOptions): Actor {
  const { client, informers, clock, random, logger, metrics, registry } = options;
  const policies = informers.for(VALIDATING_ADMISSION_POLICIES);
  return createController<string>({
    name: NAME,
    clock,
    random,
    ...(logger === undefined ? {} : { logger }),
    ...(metrics === undefined ? {} : { metrics }),
    concurrency: 1,
    async reconcile(name) {
      const policy = policies.lister.get(name);
      if (policy === undefined) return;
      const { generation = 0 } = policy.metadata;
      if (generation <= (policy.status?.observedGeneration ?? 0)) return;
      const warnings = typeCheckingWarnings(policy, registry);
      // An empty `typeChecking` means that all expressions have the right types.
      const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
      const told = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name },
        status: { observedGeneration: generation, typeChecking },
      } as unknown as ValidatingAdmissionPolicy;
      try {
        const writing = { fieldManager: NAME, force: true, subresource: 'status' } as const;
        await client.apply(VALIDATING_ADMISSION_POLICIES, told, writing);
      } catch (error) {
        // The policy is gone; an apply to it would create it anew, and a policy without rules is none.
        if (!isStatus(error, 'NotFound')) throw error;
      }
    },
  }).watch(policies, ({ metadata }) => [metadata.name]);
}
