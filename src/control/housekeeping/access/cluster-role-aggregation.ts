/**
 * Aggregated cluster roles: their rules are those of all cluster roles their selectors choose, each rule once, in the
 * order of the names. So the author of a new kind can add to `view` by labelling a role.
 */
import { CLUSTER_ROLES } from '../../../core/api/registry/resources.ts';
import type { ClusterRole, PolicyRule } from '../../../core/api/types/rbac-v1.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import { compileLabelSelector } from '../../../core/kube/label-selector.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { createController } from '../../../machinery/controller/controller.ts';
import type { AccessKeeperOptions } from './options.ts';

export function createClusterRoleAggregation(options: AccessKeeperOptions): Actor {
  const { client, clock, informers, random } = options;
  const roles = informers.for(CLUSTER_ROLES);

  async function gather(name: string, signal: AbortSignal): Promise<void> {
    const role = roles.lister.get(name);
    if (role?.aggregationRule === undefined) return;
    const rules = gatheredRules(role, roles.lister.list());
    if (deepEqual(rules, role.rules ?? [])) return;
    try {
      await client.update(CLUSTER_ROLES, { ...role, rules }, { signal });
    } catch (error) {
      // Gone: nothing to aggregate. Changed meanwhile: the event requeues the role.
      if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error;
    }
  }

  return createController<string>({
    name: 'clusterrole-aggregation-controller',
    reconcile: gather,
    clock,
    random,
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  }).watch(roles, function* () {
    // Any role may match any aggregating role; there are few of the latter.
    for (const role of roles.lister.list()) if (role.aggregationRule !== undefined) yield role.metadata.name;
  });
}

export function gatheredRules(role: ClusterRole, all: Iterable<Stored<ClusterRole>>): readonly PolicyRule[] {
  const byName = [...all].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules: PolicyRule[] = [];
  const seen = new Set<string>();
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const chosen = compileLabelSelector(selector);
    for (const other of byName) {
      if (other.metadata.name === role.metadata.name || !chosen.matches(other.metadata.labels)) continue;
      for (const rule of other.rules ?? []) {
        const text = ruleIdentity(rule);
        if (!seen.has(text)) rules.push(rule);
        seen.add(text);
      }
    }
  }
  return rules;
}

/** Equal for rules with the same content. */
const ruleIdentity = ({
  apiGroups = [],
  nonResourceURLs = [],
  resourceNames = [],
  resources = [],
  verbs,
}: PolicyRule) => JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
