/** The grammar of `everynode backup` and `everynode restore`. */
import { Option, type Command } from 'commander';
import type { BackupFlags, RestoreFlags } from './backup.ts';

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('Write a backup of a cluster to one file, whether the cluster runs or not.')
    .option('--data-dir <dir>', 'data directory of the cluster (default: $EVERYNODE_HOME/cluster)')
    .requiredOption('-o, --output <file>', 'file to write; holds the keys of the cluster, so keep the file safe')
    .option('--force', 'replace the file if it is there')
    .addHelpText('after', BACKUP_EXAMPLES)
    .action(async (flags: BackupFlags) => (await import('./backup.ts')).backup(flags));
  program
    .command('restore')
    .description('Check a backup, and write it to a new data directory.')
    .argument('<file>', 'a file that everynode backup wrote')
    .addOption(new Option('--data-dir <dir>', 'data directory to create; must be absent or empty'))
    .addOption(
      new Option('--verify', 'check every byte of the backup and print its content; write nothing').conflicts(
        'dataDir',
      ),
    )
    .addHelpText('after', RESTORE_EXAMPLES)
    .action(async (file: string, flags: RestoreFlags) => (await import('./backup.ts')).restore(file, flags));
}

const BACKUP_EXAMPLES = `
Examples:
  everynode backup -o cluster.tar                       of the cluster that everynode up keeps
  everynode backup --data-dir ./data -o "$(date +%F).tar"

The file is a tar. The command prints the hash of the file, and everynode restore --verify checks the file against the hash. See docs/backup.md.`;

const RESTORE_EXAMPLES = `
Examples:
  everynode restore --verify cluster.tar                exit code 1 and the reason if a byte is wrong
  everynode restore cluster.tar --data-dir ./restored
  everynode up --data-dir ./restored`;
