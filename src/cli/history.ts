/** `everynode history`: the revisions of components, oldest first. */
import { componentHistory, type Revision } from '../control/component/apply/history.ts';
import { identityText } from '../control/component/apply/rendered.ts';
import { printYaml } from '../core/component/print/print-yaml.ts';
import { onCluster } from './component/cluster.ts';
import type { HistoryFlags } from './component/flags.ts';
import { identitiesOf, orNoComponent, requireTargets } from './component/targets.ts';
import { printable, table } from './component/text.ts';

export async function history(names: readonly string[], flags: HistoryFlags): Promise<void> {
  const targets = await requireTargets(names, flags);
  await onCluster(flags, {}, async ({ context, namespace }) => {
    const found = [];
    for (const identity of identitiesOf(targets, flags.namespace ?? namespace))
      found.push({ identity, revisions: await orNoComponent(context, identity, componentHistory(context, identity)) });
    if (flags.output === 'json' || flags.output === 'yaml') {
      const value = { components: found.map(({ identity, revisions }) => ({ ...identity, revisions })) };
      process.stdout.write(flags.output === 'json' ? `${JSON.stringify(value, null, 2)}\n` : printYaml(value));
      return;
    }
    for (const { identity, revisions } of found) {
      if (found.length > 1) process.stdout.write(`${identityText(identity)}\n`);
      process.stdout.write(table([HEADINGS, ...revisions.map(rowOf)]));
    }
  });
}

const HEADINGS = ['REVISION', 'CREATED', 'IMAGES', 'CHANGE-CAUSE'];

const rowOf = ({ revision, createdAt, images, changeCause, isCurrent }: Revision): readonly string[] => [
  `${revision}${isCurrent ? ' (current)' : ''}`,
  createdAt,
  printable(images.join(',')),
  printable(changeCause ?? '<none>'),
];
