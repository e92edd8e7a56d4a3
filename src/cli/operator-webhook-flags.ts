/** From flags to the admission webhooks that the operator serves. Without a port there are none. */
import { WEBHOOK_NAME } from '../assembly/catalogue/rights.ts';
import type { ServedWebhooks } from '../assembly/operator/process.ts';
import { policyFor } from '../machinery/webhook/certificates/plan.ts';
import { CliError } from './support/cli-error.ts';
import type { OperatorFlags } from './operator-command.ts';
import { duration, expected, MAX_PORT, objectName, whole } from './operator-values.ts';

/**
 * With a shorter lifetime, API servers could not learn of a new authority in time: it signs after a ninetieth of this.
 */
const SHORTEST_LIFETIME_MS = 120_000;
/** Longer than this is for ever, and too large for a date. */
const LONGEST_LIFETIME_MS = 10 * 365 * 86_400_000;

export function readWebhookFlags(flags: OperatorFlags, ownNamespace: string): ServedWebhooks | undefined {
  const { webhookPort, webhookBindAddress, webhookCertDir, webhookCertLifetime } = flags;
  if (webhookPort === undefined) {
    const [useless] = GIVEN.filter(([, given]) => given(flags) !== undefined);
    if (useless === undefined) return undefined;
    throw new CliError(
      `${useless[0]} is given, but no webhooks are served`,
      'Add --webhook-port, 9443 say, or leave it out',
    );
  }
  if (webhookBindAddress === '')
    throw new CliError('--webhook-bind-address is empty', 'Give it an address, such as 0.0.0.0');
  if (webhookCertDir === '')
    throw new CliError('--webhook-cert-dir is empty', 'Give it the directory that holds tls.crt and tls.key');
  if (webhookCertDir !== undefined && webhookCertLifetime !== undefined)
    throw new CliError(
      '--webhook-cert-lifetime is for certificates that the leader makes, not for those in --webhook-cert-dir',
      'Leave out one of the two',
    );
  const name = objectName('--webhook-name', flags.webhookName ?? WEBHOOK_NAME);
  const namespace = objectName('--webhook-namespace', flags.webhookNamespace ?? ownNamespace);
  return {
    bind: webhookBindAddress ?? flags.bindAddress,
    port: whole('--webhook-port', webhookPort, MAX_PORT),
    certificates:
      webhookCertDir === undefined
        ? { kind: 'self-managed', namespace, name, ...policyOf(webhookCertLifetime) }
        : { kind: 'mounted', directory: webhookCertDir },
  };
}

const GIVEN: readonly (readonly [flag: string, (flags: OperatorFlags) => string | undefined])[] = [
  ['--webhook-bind-address', (flags) => flags.webhookBindAddress],
  ['--webhook-name', (flags) => flags.webhookName],
  ['--webhook-namespace', (flags) => flags.webhookNamespace],
  ['--webhook-cert-dir', (flags) => flags.webhookCertDir],
  ['--webhook-cert-lifetime', (flags) => flags.webhookCertLifetime],
];

function policyOf(text: string | undefined): object {
  if (text === undefined) return {};
  const ms = duration('--webhook-cert-lifetime', text);
  if (ms < SHORTEST_LIFETIME_MS || ms > LONGEST_LIFETIME_MS)
    throw expected('--webhook-cert-lifetime', text, 'a time from 2m to 87600h');
  return { policy: policyFor(ms) };
}
