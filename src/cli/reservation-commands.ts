/** The grammar of `everynode orders` and `everynode tickets`. The code of a command is loaded when the command runs. */
import { type Command, Option } from 'commander';
import { outputs, withCluster } from './component/flags.ts';
import type { AdoptFlags, OrdersFlags, TicketsFlags } from './reservation/flags.ts';

const FORMATS = ['table', 'wide', 'name', 'json', 'yaml'] as const;

const withNamespaces = (command: Command): Command =>
  withCluster(command)
    .option('-n, --namespace <namespace>', 'namespace to look at (default: the namespace of the context)')
    .addOption(new Option('-A, --all-namespaces', 'look at all namespaces').conflicts('namespace'))
    .addOption(outputs(FORMATS, 'table'));

export function addReservationCommands(program: Command): void {
  const orders = withNamespaces(program.command('orders'))
    .description('Show Orders: wanted Tickets, Tickets that hold room, and why others do not.')
    .argument('[name]', 'name of an Order (default: all of the namespace)')
    .addHelpText('after', ORDERS_EXAMPLES)
    .enablePositionalOptions()
    .action(async (name: string | undefined, flags: OrdersFlags) => (await import('./orders.ts')).orders(name, flags));

  withCluster(orders.command('adopt'))
    .description('Turn placeholder pods and Tickets made by hand into Tickets of an Order, without freeing their room.')
    .argument('<order>', 'name of the Order')
    .addOption(new Option('--pods <selector>', 'placeholder pods, by labels').conflicts('tickets'))
    .option('--tickets <selector>', 'Tickets without an Order, by labels')
    .option(
      '-n, --namespace <namespace>',
      'namespace of the Order, the pods and the Tickets (default: the namespace of the context)',
    )
    .option('--dry-run', 'print the result and write nothing')
    .addOption(outputs(['table', 'json', 'yaml'], 'table'))
    .addHelpText('after', ADOPT_EXAMPLES)
    .action(async (order: string, flags: AdoptFlags) => (await import('./orders-adopt.ts')).adopt(order, flags));

  withNamespaces(program.command('tickets'))
    .description(
      'Show Tickets: node, phase, since when and until when room is held, the claimant, and why room is not held.',
    )
    .argument('[order]', 'name of an Order (default: Tickets of all Orders, and those made by hand)')
    .option('--node <name>', 'only Tickets on this node')
    .addHelpText('after', TICKETS_EXAMPLES)
    .action(async (order: string | undefined, flags: TicketsFlags) =>
      (await import('./tickets.ts')).tickets(order, flags),
    );
}

const ORDERS_EXAMPLES = `
Examples:
  everynode orders -A
  everynode orders node-monitor -n monitoring -o wide
  everynode orders adopt node-monitor -n monitoring --pods app=placeholder --dry-run

States: ready, progressing, waiting (for the next tick), ended (Tickets have expired and are not renewed), paused, no-nodes (no
node is eligible), no-room (some nodes have too little room), failed, unobserved (no controller has acted on the newest spec),
deleting.`;

const TICKETS_EXAMPLES = `
Examples:
  everynode tickets -A
  everynode tickets node-monitor -n monitoring
  everynode tickets -A --node node-3 -o wide`;

const ADOPT_EXAMPLES = `
Examples:
  everynode orders adopt node-monitor --pods app=placeholder --dry-run
  everynode orders adopt node-monitor --tickets team=platform

Pods must be bound to a node, run, have no owner, and request at least as much as the template of the Order. The room stays taken all
the time: the pod itself becomes the guardian of the Ticket. The command may be repeated: adopted pods and Tickets stay adopted.

Exit codes: 0 everything selected was adopted, 1 something was not (the table says why) or an error.`;
