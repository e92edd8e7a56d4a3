/** `everynode orders adopt`: placeholder pods and Tickets made by hand become Tickets of an Order, and their room stays taken. */
import { adoptInto, type AdoptOutcome } from '../control/reservation/adopt/adopt.ts';
import { orderPlan } from '../core/api/kinds/reservation/order-plan.ts';
import { PODS, TICKETS } from '../core/api/registry/resources.ts';
import { printYaml } from '../core/component/print/print-yaml.ts';
import type { Resource } from '../core/kube/objects.ts';
import { SelectorError } from '../core/kube/selector.ts';
import { parseSelector } from '../core/kube/selector-text.ts';
import { isStatus } from '../core/kube/status-error.ts';
import type { Client } from '../machinery/client/client.ts';
import { onCluster } from './component/cluster.ts';
import { adoptNotes, adoptSummary, adoptTable, type Selected } from './reservation/adopt-view.ts';
import type { AdoptFlags } from './reservation/flags.ts';
import { noOrderError } from './reservation/no-order.ts';
import { orNotServed } from './reservation/served.ts';
import { CliError } from './support/cli-error.ts';

export async function adopt(order: string, flags: AdoptFlags): Promise<void> {
  const { kind, selector } = readSelected(flags);
  const settings = { whenInterrupted: 'Repeat the command to finish; pods and Tickets that were adopted stay adopted' };
  await onCluster(flags, settings, async ({ context: { client, signal }, namespace: usual }) => {
    const namespace = flags.namespace ?? usual;
    const request = { namespace, order, kind, selector, dryRun: flags.dryRun === true };
    let outcome: AdoptOutcome;
    try {
      outcome = await adoptInto({ client, ...(signal === undefined ? {} : { signal }) }, request);
    } catch (error) {
      if (isStatus(error, 'NotFound') && (error.status.details?.name ?? '') === order)
        throw await noOrderError(client, order, namespace);
      return orNotServed(error);
    }
    if (outcome.items.length === 0) throw await nothingError(client, kind, selector, namespace);
    show(outcome, kind, flags);
    if (outcome.items.some(({ result }) => result === 'refused')) process.exitCode = 1;
  });
}

function readSelected({ pods, tickets }: AdoptFlags): { readonly kind: Selected; readonly selector: string } {
  const selector = pods ?? tickets;
  const kind = pods === undefined ? 'tickets' : 'pods';
  if (selector === undefined)
    throw new CliError(
      'nothing is selected',
      'Select placeholder pods with --pods LABELS, or Tickets with --tickets LABELS',
    );
  // An empty selector would select every pod of the namespace.
  if (selector.trim() === '') throw new CliError(`--${kind} is empty`, 'Give it labels, such as app=placeholder');
  try {
    parseSelector(selector);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new CliError(`invalid argument ${JSON.stringify(selector)} for --${kind}: ${error.message}`);
  }
  return { kind, selector };
}

/** Owners are of the same namespace as what they own, so pods elsewhere cannot be adopted. */
async function nothingError(client: Client, kind: Selected, selector: string, namespace: string): Promise<CliError> {
  const resource: Resource = kind === 'pods' ? PODS : TICKETS;
  const what = kind === 'pods' ? 'pod' : 'Ticket';
  const elsewhere = await client.list(resource, { labelSelector: selector, limit: 1 }).then(
    ({ items }) => items[0]?.metadata.namespace,
    () => undefined,
  );
  const hint =
    elsewhere === undefined
      ? undefined
      : `There is one in namespace ${elsewhere}: an Order of that namespace can adopt it (-n ${elsewhere})`;
  return new CliError(`no ${what} in namespace ${namespace} has the labels ${selector}`, hint);
}

function show({ order, items }: AdoptOutcome, kind: Selected, { output, dryRun }: AdoptFlags): void {
  if (output !== 'table') {
    const value = { order: order.metadata.name, namespace: order.metadata.namespace, [kind]: items };
    process.stdout.write(output === 'json' ? `${JSON.stringify(value, null, 2)}\n` : printYaml(value));
    return;
  }
  process.stdout.write(adoptTable(items, kind));
  for (const note of adoptNotes(items)) process.stdout.write(`${note}\n`);
  const { name, namespace } = order.metadata;
  process.stderr.write(`${adoptSummary(items, kind, name)}\n`);
  if (dryRun === true || !orderPlan(order.spec).paused) return;
  const patch = `kubectl patch order ${name} -n ${namespace} --type=merge -p '{"spec":{"paused":false}}'`;
  process.stderr.write(`  The Order is paused; it reserves the rest of its room once it is not: ${patch}\n`);
}
