/** `everynode delete`: deletes components, with all objects they brought and nothing else. */
import { deleteComponent } from '../control/component/apply/delete.ts';
import type { ComponentIdentity } from '../control/component/apply/rendered.ts';
import { onCluster, readDryRun, readTimeout } from './component/cluster.ts';
import type { DeleteFlags } from './component/flags.ts';
import { identitiesOf, noComponentError, requireTargets } from './component/targets.ts';
import { kubectlName } from './component/text.ts';

/** The longest time of a timer. */
const FOR_EVER_MS = 2 ** 31 - 1;

export async function deleteComponents(names: readonly string[], flags: DeleteFlags): Promise<void> {
  const waitMs = flags.wait ? (readTimeout(flags.timeout) ?? FOR_EVER_MS) : 0;
  const dryRun = readDryRun(flags.dryRun) !== 'none';
  const targets = await requireTargets(names, flags);
  const settings = { tellSteps: flags.output === 'text', whenInterrupted: 'Delete again to finish what was begun' };
  await onCluster(flags, settings, async ({ context, namespace, view }) => {
    const absent: ComponentIdentity[] = [];
    if (dryRun) view.note('This is a dry run: nothing is deleted.');
    // Components that refer to others are deleted before them.
    for (const identity of identitiesOf(targets, flags.namespace ?? namespace).toReversed()) {
      const { outcome, steps } = await deleteComponent(context, identity, { waitMs, dryRun });
      if (outcome === 'absent') absent.push(identity);
      if (flags.output === 'name')
        for (const step of steps) if (step.outcome === 'deleted') process.stdout.write(`${kubectlName(step.object)}\n`);
    }
    if (absent.length > 0) throw await noComponentError(context, absent);
  });
}
