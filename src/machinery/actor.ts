/**
 * The unit that the assembly starts and stops: a controller, a scheduler, a fleet, a server. Actors know each other only through
 * API objects.
 */
import type { Resource } from '../core/kube/objects.ts';

export interface Actor {
  readonly name: string;
  /**
   * Works until the signal fires, then stops all work it began, and only then resolves. Rejects when the actor cannot go on;
   * being stopped is not a failure. Called once.
   */
  start(signal: AbortSignal): Promise<void>;
  /** Whether the actor is of use yet (caches synced, port open). Absent: ready as soon as it is started. */
  ready?(): boolean;
  /** Resources that the actor watches by itself and has not listed yet, so that health checks can name those it may not list. */
  unknown?(): Iterable<Pick<Resource, 'group' | 'resource'>>;
}
