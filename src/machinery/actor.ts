/**
 * What the assembly starts and stops: a controller, a scheduler, a fleet, a server. Actors know each other only through
 * API objects.
 */
import type { Resource } from '../core/kube/objects.ts';

export interface Actor {
  readonly name: string;
  /**
   * Works until the signal fires, then stops what it began, and only then resolves. It rejects when it cannot go on;
   * being stopped is not a failure. Called once.
   */
  start(signal: AbortSignal): Promise<void>;
  /** Answers whether it is of use yet (caches synced, port open). Absent: ready as soon as it is started. */
  ready?(): boolean;
  /** What it watches by itself and does not know yet, so that whoever asks can be told what it may not list. */
  unknown?(): Iterable<Pick<Resource, 'group' | 'resource'>>;
}
