/** The chart's facts about the operator: its controllers and the rights of each, and its webhooks. */
import { stringify } from 'yaml';
import { ADMISSION_CATALOGUE, type AdmissionRow } from '../../src/assembly/catalogue/admission.ts';
import { CATALOGUE } from '../../src/assembly/catalogue/catalogue.ts';
import type { Catalogue } from '../../src/assembly/catalogue/entry.ts';
import { operatorRights } from '../../src/assembly/catalogue/operator-rights.ts';
import {
  NAMESPACE_RIGHTS,
  OPERATOR_LEASE,
  type OperatorRights,
  WEBHOOK_NAME,
  WEBHOOK_RIGHTS,
} from '../../src/assembly/catalogue/rights.ts';
import { placesIn } from '../../src/assembly/catalogue/select.ts';
import { webhookPath } from '../../src/machinery/webhook/answer-review.ts';

const HEAD = '# Written by tools/generate/deploy.ts; do not edit.\n';
const OPTIONS = { lineWidth: 0, aliasDuplicateObjects: false };

/** Names that differ in every release. */
const NAMES: ReadonlyMap<string, string> = new Map([
  [OPERATOR_LEASE, '@lease@'],
  [WEBHOOK_NAME, '@webhook@'],
]);

const inRelease = (rule: OperatorRights['rules'][number]): OperatorRights['rules'][number] =>
  rule.resourceNames === undefined
    ? rule
    : { ...rule, resourceNames: rule.resourceNames.map((name) => NAMES.get(name) ?? name) };

/** True for rights needed only where several processes elect a leader. */
const isForElection = ({ feature, rules }: OperatorRights): boolean =>
  feature === 'base' && rules.every(({ resources }) => resources?.every((resource) => resource === 'leases') ?? false);

export function rightsFile(catalogue: Catalogue = CATALOGUE): string {
  const rights = [...operatorRights(catalogue), ...NAMESPACE_RIGHTS, ...WEBHOOK_RIGHTS];
  return `${HEAD}${stringify(
    {
      controllers: placesIn('operator', catalogue).map(({ row: { name, aliases }, place }) => ({
        name,
        aliases,
        onByDefault: place.runs === 'default',
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

/** The part of a row that a webhook configuration is made from. */
export type RegisteredWebhook = Pick<AdmissionRow, 'name' | 'phase' | 'webhook'>;

export const webhooksFile = (rows: readonly RegisteredWebhook[] = ADMISSION_CATALOGUE): string =>
  `${HEAD}${stringify(
    { webhooks: rows.map(({ name, phase, webhook }) => ({ phase, ...webhook, path: webhookPath(phase, name) })) },
    OPTIONS,
  )}`;
