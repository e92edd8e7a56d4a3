/** Scheduling gates: a pod that has any is not scheduled until they are removed. */
import type { PodSpec } from '../api/types/core-v1.ts';
import { type Answer, createNo, refuseEverywhere, YES } from './answer.ts';

export function judgeGates(spec: PodSpec): Answer {
  const gates = (spec.schedulingGates ?? []).map((gate) => gate.name);
  if (gates.length === 0) return YES;
  const fix = (): string => `remove the scheduling gates ${gates.map((gate) => `\`${gate}\``).join(', ')} from the pod`;
  const message = `waiting for scheduling gates: [${gates.join(' ')}]`;
  return refuseEverywhere(createNo('SchedulingGated', fix, { message }));
}
