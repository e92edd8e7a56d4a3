/** `everynode apply`: brings manifests to a cluster and waits until every node has the new daemon. */
import { applyComponent, type ApplyOptions, type ApplyResult } from '../control/component/apply/apply.ts';
import { diffComponent } from '../control/component/apply/diff/diff-component.ts';
import { ComponentApplyError, type ApplyProblem } from '../control/component/apply/errors.ts';
import { componentToApply } from '../control/component/apply/from-rendered.ts';
import { missingObjects, missingText } from '../control/component/apply/missing.ts';
import type { RenderedComponent } from '../control/component/apply/rendered.ts';
import type { RolloutSnapshot } from '../control/component/rollout/snapshot.ts';
import { createScrubber } from '../control/component/apply/secrets.ts';
import { printYaml } from '../core/component/print/print-yaml.ts';
import { changeOptions } from './component/change.ts';
import { onCluster, readDryRun, readTimeout, type Session } from './component/cluster.ts';
import type { ApplyFlags } from './component/flags.ts';
import { prepareWithSecrets } from './component/prepare.ts';
import { waitForRollouts } from './component/rollout.ts';
import { kubectlName, kubectlNameOf } from './component/text.ts';
import { render } from './render.ts';

export async function apply(flags: ApplyFlags): Promise<void> {
  const options = changeOptions(flags);
  const timeoutMs = readTimeout(flags.timeout);
  const dryRun = readDryRun(flags.dryRun);
  if (dryRun === 'client') return showClientRun(flags);
  const components = (await prepareWithSecrets(flags)).map(({ rendered }) => componentToApply(rendered));
  if (dryRun === 'server')
    return onCluster(flags, {}, (session) => showServerRun(session, components, options, flags.output));
  const settings = {
    tellSteps: flags.output === 'text',
    whenInterrupted: 'Apply again to finish what was begun',
  };
  await onCluster(flags, settings, async (session) => {
    const done: { component: RenderedComponent; result: ApplyResult }[] = [];
    const problems: ApplyProblem[] = [];
    for (const component of components) {
      await tellMissing(session, component, components);
      try {
        done.push({ component, result: await applyComponent(session.context, component, options) });
      } catch (error) {
        if (!(error instanceof ComponentApplyError)) throw error;
        problems.push(...error.problems);
      }
    }
    if (flags.output === 'name')
      for (const { result } of done)
        for (const { object, outcome } of result.steps)
          if (outcome !== 'pruned') process.stdout.write(`${kubectlName(object)}\n`);
    let rollouts: readonly RolloutSnapshot[] = [];
    try {
      if (flags.wait && problems.length === 0) rollouts = await waitForRollouts(session, done.map(awaited), timeoutMs);
    } finally {
      if (flags.output === 'json' || flags.output === 'yaml') printResult(done, rollouts, flags.output);
    }
    if (problems.length > 0) throw ComponentApplyError.of(problems);
  });
}

function awaited({ component, result }: { readonly component: RenderedComponent; readonly result: ApplyResult }) {
  const scrubber = createScrubber(component.secretPaths);
  for (const object of component.objects) scrubber.learn(object);
  const written = result.daemonSets.find(({ metadata }) => metadata.name === component.identity.name);
  return { identity: component.identity, scrubber, ...(written === undefined ? {} : { written }) };
}

async function showClientRun(flags: ApplyFlags): Promise<void> {
  const { output } = flags;
  if (output !== 'text') return render({ ...flags, output });
  for (const { rendered } of await prepareWithSecrets(flags))
    for (const object of rendered.objects) process.stdout.write(`${kubectlNameOf(object)} rendered (client dry run)\n`);
}

const PAST = { create: 'created', apply: 'applied', adopt: 'adopted', recreate: 'recreated', prune: 'pruned' } as const;

/** Printed before anything is written, so that the user can still stop. */
async function tellMissing(
  { context, view }: Session,
  component: RenderedComponent,
  components: readonly RenderedComponent[],
): Promise<void> {
  for (const missing of await missingObjects(context, component, components)) view.warn(missingText(missing));
}

async function showServerRun(
  session: Session,
  components: readonly RenderedComponent[],
  options: ApplyOptions,
  output: ApplyFlags['output'],
): Promise<void> {
  const problems: ApplyProblem[] = [];
  const told: { readonly object: string; readonly action: string }[] = [];
  for (const component of components) {
    await tellMissing(session, component, components);
    const result = await diffComponent(session.context, component, options);
    problems.push(...result.problems);
    for (const { object, action } of result.texts)
      if (action in PAST) told.push({ object: kubectlName(object), action: PAST[action as keyof typeof PAST] });
  }
  const texts = told.map(({ object, action }) => (output === 'name' ? object : `${object} ${action} (server dry run)`));
  if (output === 'json') process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
  else if (output === 'yaml') process.stdout.write(printYaml(told));
  else process.stdout.write(texts.map((line) => `${line}\n`).join(''));
  if (told.length === 0 && output === 'text') process.stdout.write('nothing would change (server dry run)\n');
  if (problems.length > 0) throw ComponentApplyError.of(problems);
}

function printResult(
  done: readonly { readonly component: RenderedComponent; readonly result: ApplyResult }[],
  rollouts: readonly RolloutSnapshot[],
  output: 'json' | 'yaml',
): void {
  const components = done.map(({ component: { identity }, result }, index) => ({
    ...identity,
    changed: result.changed,
    steps: result.steps,
    ...(rollouts[index] === undefined ? {} : { rollout: rollouts[index] }),
  }));
  const value = { components };
  process.stdout.write(output === 'json' ? `${JSON.stringify(value, null, 2)}\n` : printYaml(value));
}
