/** Pods bound to a node whose kubelet does not run, until it does. */
import type { SimulatedNode } from './node-keeper.ts';

export class WaitingPods {
  /** Keys of pods bound to a node that is not up, not simulated or not there yet, by node name. No set is empty. */
  readonly #byNode = new Map<string, Set<string>>();
  /** Simulated nodes that were deleted while pods stood on them: their pods can still be stopped. Gone with the last of those pods. */
  readonly #ghosts = new Map<string, SimulatedNode>();

  add(nodeName: string, key: string): void {
    const keys = this.#byNode.get(nodeName);
    if (keys === undefined) this.#byNode.set(nodeName, new Set([key]));
    else keys.add(key);
  }

  remove(nodeName: string, key: string): void {
    const keys = this.#byNode.get(nodeName);
    if (keys?.delete(key) !== true || keys.size > 0) return;
    this.#byNode.delete(nodeName);
    this.#ghosts.delete(nodeName);
  }

  /** The pods of a node that came up: they wait no longer. */
  take(nodeName: string): Iterable<string> {
    const keys = this.#byNode.get(nodeName);
    this.#byNode.delete(nodeName);
    this.#ghosts.delete(nodeName);
    return keys ?? [];
  }

  ghost(nodeName: string): SimulatedNode | undefined {
    return this.#ghosts.get(nodeName);
  }

  addGhost(nodeName: string, node: SimulatedNode): void {
    this.#ghosts.set(nodeName, node);
  }
}
