/** From the flags of `apply` and `diff` to the options of a component's apply. */
import type { ApplyOptions } from '../../control/component/apply/apply.ts';
import { CliError } from '../support/cli-error.ts';
import type { ChangeFlags } from './flags.ts';

export function changeOptions(flags: ChangeFlags): ApplyOptions {
  const { prune, mode } = flags;
  if (prune !== 'true' && prune !== 'false')
    throw new CliError(`invalid argument ${JSON.stringify(prune)} for --prune: expected true or false`);
  // Compatible mode takes over objects of the existing tool, which bear no mark of ours.
  const adopt = flags.adopt ?? (mode === 'compatible' ? 'unowned' : 'never');
  return {
    adopt,
    prune: prune === 'true',
    force: flags.forceConflicts === true,
    recreate: flags.recreate === true,
  };
}
