/**
 * Bench `versus-kubernetes`: a DaemonSet rolled out and updated by a real Kubernetes control plane and by ours, side by side in
 * one run, from its creation until every node has its available pod. Needs the programs of `npm run test:kubernetes`.
 *
 * Counted is every process of a control plane. Kubelets are the same simulated ones for every contestant: on a real API
 * server in a process that is not counted, in our own cluster within the process, whose cost then includes them.
 */
import { missingPrograms } from '../test/kubernetes/support/programs.ts';
import { note, reportCase } from './support/report.ts';
import { measure } from './versus/measure.ts';
import { planRuns, readOptions } from './versus/plan.ts';
import { reportsOf, tableOf, type Sample } from './versus/summary.ts';

export default async function versusKubernetes(args: readonly string[]): Promise<void> {
  const { cases, options } = readOptions(args, process.env);
  const missing = options.contestants.some((name) => name !== 'everynode-embedded') ? missingPrograms() : [];
  if (missing.length > 0)
    throw new Error(`${missing.join(', ')} not found: node scripts/get-kubernetes.mjs builds them`);
  const runs = planRuns(cases, options);
  if (options.defaultRounds < options.rounds)
    note(`kubernetes-default runs in ${options.defaultRounds} of ${options.rounds} rounds: its limits set its pace`);

  const stopping = new AbortController();
  const onSignal = (): void => {
    if (stopping.signal.aborted) return;
    note('stopping; what was measured so far follows');
    stopping.abort(new Error('stopped'));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const samples: Sample[] = [];
  let failures = 0;
  const began = performance.now();
  for (const [i, run] of runs.entries()) {
    if (stopping.signal.aborted) break;
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    note(
      `# ${i + 1} of ${runs.length}, round ${run.round + 1}: ${run.contestant} on ${run.nodes} nodes (${minutes} min)`,
    );
    try {
      await measure(run, options, stopping.signal, (sample) => samples.push(sample));
    } catch (error) {
      if (stopping.signal.aborted) break;
      failures += 1;
      note(`  not measured: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
  process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  for (const report of reportsOf(samples, cases, options.contestants)) reportCase(report);
  note(`\n${tableOf(samples, cases, options.contestants)}`);
  if (stopping.signal.aborted) process.exitCode = 130;
  else if (failures > 0) throw new Error(`${failures} of ${runs.length} runs could not be measured`);
}
