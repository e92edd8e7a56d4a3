/**
 * What the assembly starts and stops: a controller, a scheduler, a fleet, a server. Actors know each other only through
 * API objects.
 */
export interface Actor {
  readonly name: string;
  /**
   * Works until the signal fires, then stops what it began, and only then resolves. It rejects when it cannot go on;
   * being stopped is not a failure. Called once.
   */
  start(signal: AbortSignal): Promise<void>;
  /** Answers whether it is of use yet (caches synced, port open). Absent: ready as soon as it is started. */
  ready?(): boolean;
}
