/** What the chart knows of the operator: its controllers and the rights of each, and its webhooks. */
import { stringify } from 'yaml';
import { OPERATOR_CONTROLLERS } from '../../src/assembly/operator-controllers.ts';
import {
  NAMESPACE_RIGHTS,
  OPERATOR_LEASE,
  OPERATOR_RIGHTS,
  WEBHOOK_NAME,
  WEBHOOK_RIGHTS,
  type OperatorRights,
} from '../../src/assembly/operator-rights.ts';
import { ADMISSION_WEBHOOKS, type AdmissionWebhook } from '../../src/assembly/webhooks.ts';
import { webhookPath } from '../../src/machinery/webhook/answer-review.ts';

const HEAD = '# Written by tools/generate/deploy.ts; do not edit.\n';
const OPTIONS = { lineWidth: 0 };

/** Names that are another in every release. */
const NAMES: ReadonlyMap<string, string> = new Map([
  [OPERATOR_LEASE, '@lease@'],
  [WEBHOOK_NAME, '@webhook@'],
]);

const inRelease = (rule: OperatorRights['rules'][number]): OperatorRights['rules'][number] =>
  rule.resourceNames === undefined
    ? rule
    : { ...rule, resourceNames: rule.resourceNames.map((name) => NAMES.get(name) ?? name) };

/** Needed only where several processes agree over a Lease. */
const isForElection = ({ feature, rules }: OperatorRights): boolean =>
  feature === 'base' && rules.every(({ resources }) => resources?.every((resource) => resource === 'leases') ?? false);

export function rightsFile(
  rights: readonly OperatorRights[] = [...OPERATOR_RIGHTS, ...NAMESPACE_RIGHTS, ...WEBHOOK_RIGHTS],
): string {
  return `${HEAD}${stringify(
    {
      controllers: OPERATOR_CONTROLLERS.map(({ name, alias, onByDefault }) => ({
        name,
        ...(alias === undefined ? {} : { alias }),
        onByDefault,
      })),
      rights: rights.map(({ feature, why, scope, rules }) => ({
        feature,
        why,
        scope,
        leaderElection: isForElection({ feature, why, scope, rules }),
        rules: rules.map(inRelease),
      })),
    },
    OPTIONS,
  )}`;
}

export const webhooksFile = (webhooks: readonly AdmissionWebhook[] = ADMISSION_WEBHOOKS): string =>
  `${HEAD}${stringify(
    { webhooks: webhooks.map(({ plugin, ...rest }) => ({ ...rest, path: webhookPath(rest.phase, plugin) })) },
    OPTIONS,
  )}`;
