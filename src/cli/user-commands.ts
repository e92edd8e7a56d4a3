/** The grammar of `everynode user`. */
import type { Command } from 'commander';
import type { ClusterFlags, UserAddFlags } from './user.ts';

const collect = (value: string, all: readonly string[]): readonly string[] => [...all, value];

const onCluster = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'credentials to act with (default: $KUBECONFIG, or the cluster started last)')
    .option('--context <name>', 'context of the kubeconfig');

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('Add users: certificates that carry a name and groups.');
  onCluster(user.command('add'))
    .description('Have a client certificate signed, and print a kubeconfig that holds the certificate.')
    .argument('<name>', 'name of the user')
    .option('--group <group>', 'group of the user; may be given again', collect, [])
    .option('--role <role>', 'cluster role to bind to the user, such as view, edit or admin')
    .option('--namespace <namespace>', 'bind the role in this namespace only')
    .option('--days <days>', 'how long the certificate is good', '365')
    .option('--write-kubeconfig <file>', 'put the context into this kubeconfig instead of printing it')
    .addHelpText('after', ADD_EXAMPLES)
    .action(async (name: string, flags: UserAddFlags) => (await import('./user.ts')).userAdd(name, flags));
  onCluster(user.command('list'))
    .description('List users and groups and the roles they have.')
    .action(async (flags: ClusterFlags) => (await import('./user.ts')).userList(flags));
  onCluster(user.command('remove'))
    .description('Take every role that was bound to a user away from them.')
    .argument('<name>', 'name of the user')
    .action(async (name: string, flags: ClusterFlags) => (await import('./user.ts')).userRemove(name, flags));
}

const ADD_EXAMPLES = `
Examples:
  everynode user add jane --group devs > jane.kubeconfig
  everynode user add jane --role edit --namespace shop --write-kubeconfig jane.kubeconfig`;
