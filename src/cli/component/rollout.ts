/** Waits for rollouts, one after the other, within one timeout. */
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { ComponentIdentity } from '../../control/component/apply/rendered.ts';
import type { Scrubber } from '../../control/component/apply/secrets.ts';
import type { RolloutSnapshot } from '../../control/component/rollout/snapshot.ts';
import { waitForRollout } from '../../control/component/apply/wait.ts';
import { CliError } from '../support/cli-error.ts';
import { superseded, timedOut, type Session } from './cluster.ts';
import { reasonLines } from './rollout-text.ts';
import { printable } from './text.ts';

export interface Awaited {
  readonly identity: ComponentIdentity;
  readonly scrubber?: Scrubber;
  /** The DaemonSet as the server answered; a later write of another template has overtaken it. */
  readonly written?: Stored<DaemonSet>;
}

export async function waitForRollouts(
  { context, view }: Session,
  components: readonly Awaited[],
  timeoutMs: number | undefined,
): Promise<readonly RolloutSnapshot[]> {
  const { clock } = context;
  const end = timeoutMs === undefined ? undefined : clock.monotonic() + timeoutMs;
  const late: RolloutSnapshot[] = [];
  const snapshots: RolloutSnapshot[] = [];
  const overtaken: string[] = [];
  let away: string | undefined;
  for (const { identity, scrubber, written } of components) {
    const result = await waitForRollout(context, {
      namespace: identity.namespace,
      name: identity.name,
      ...(end === undefined ? {} : { timeoutMs: Math.max(0, end - clock.monotonic()) }),
      ...(scrubber === undefined ? {} : { scrubber }),
      ...(written === undefined ? {} : { written }),
    });
    if (result.outcome === 'deleted')
      throw new CliError(`DaemonSet ${identity.namespace}/${identity.name} was deleted meanwhile`);
    if (result.outcome === 'other-cluster')
      throw new CliError(
        `the server that answers now is not the one that was applied to: ${printable(result.why)}`,
        'The address may belong to another cluster now, or to an earlier state of this one: check that, then apply again',
      );
    snapshots.push(result.snapshot);
    if (result.outcome === 'superseded')
      overtaken.push(
        `${identity.namespace}/${identity.name} was overtaken: ${printable(result.by ?? 'somebody else')} has written another template since, and nodes get that one`,
      );
    if (result.outcome !== 'timeout') continue;
    late.push(result.snapshot);
    away = result.away;
  }
  view.finish();
  if (overtaken.length > 0)
    throw superseded(overtaken.join('\n  '), 'everynode diff shows what is there now; apply again if yours is to win');
  if (late.length === 0) return snapshots;
  const lines = late.flatMap((snapshot) => [
    `${snapshot.namespace}/${snapshot.name}: ${snapshot.updated} of ${snapshot.desired} updated, ${snapshot.available} available`,
    ...reasonLines(snapshot).map((line) => `  ${line}`),
  ]);
  throw timedOut(
    `the rollout did not finish in time\n  ${lines.join('\n  ')}`,
    away === undefined
      ? 'The rollout goes on: everynode status shows its progress'
      : `The server cannot be reached (${printable(away)}): the progress of the rollout is unknown until the server is back`,
  );
}
