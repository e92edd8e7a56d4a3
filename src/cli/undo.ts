/** `everynode undo`: back to an earlier revision, as `kubectl rollout undo` does it. */
import { identityText } from '../control/component/apply/rendered.ts';
import { undoComponent } from '../control/component/apply/undo.ts';
import { CliError } from './support/cli-error.ts';
import { onCluster, readDryRun, readTimeout } from './component/cluster.ts';
import type { UndoFlags } from './component/flags.ts';
import { waitForRollouts, type Awaited } from './component/rollout.ts';
import { identitiesOf, orNoComponent, requireTargets } from './component/targets.ts';
import { printable } from './component/text.ts';

export async function undo(names: readonly string[], flags: UndoFlags): Promise<void> {
  const toRevision = readRevision(flags.toRevision);
  const timeoutMs = readTimeout(flags.timeout);
  const dryRun = readDryRun(flags.dryRun) !== 'none';
  const targets = await requireTargets(names, flags);
  await onCluster(flags, {}, async (session) => {
    const identities = identitiesOf(targets, flags.namespace ?? session.namespace);
    const undone: Awaited[] = [];
    for (const identity of identities) {
      const { outcome, to, daemonSet } = await orNoComponent(
        session.context,
        identity,
        undoComponent(session.context, identity, { dryRun, ...(toRevision === undefined ? {} : { toRevision }) }),
      );
      const said = outcome === 'undone' ? 'is back at' : 'is already at';
      const what = `revision ${to.revision} (${printable(to.images.join(', '))})${dryRun ? ' (dry run)' : ''}`;
      process.stdout.write(`${identityText(identity)} ${said} ${what}\n`);
      undone.push({ identity, written: daemonSet });
    }
    if (flags.wait && !dryRun) await waitForRollouts(session, undone, timeoutMs);
  });
}

function readRevision(text: string | undefined): number | undefined {
  // As with kubectl, 0 is the previous revision.
  if (text === undefined || text === '0') return undefined;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new CliError(`invalid argument ${JSON.stringify(text)} for --to-revision: expected a whole number`);
}
