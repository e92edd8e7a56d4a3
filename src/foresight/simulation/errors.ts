/** Failures of the simulation itself, as opposed to what it finds. A code is never renamed. */
import { CodedError } from '../../core/kube/coded-error.ts';

export const SIMULATION_ERROR_CODES = {
  EN_SIMULATION_SCENARIO: 'A scenario file cannot be read, or says something that cannot be done',
  EN_SIMULATION_STEP: 'A step of a scenario was refused by the API server',
  EN_SIMULATION_ARGUMENT: 'An argument of the simulation makes no sense',
} as const;

export type SimulationErrorCode = keyof typeof SIMULATION_ERROR_CODES;

export class SimulationError extends CodedError<SimulationErrorCode> {
  override readonly name = 'SimulationError';
}
