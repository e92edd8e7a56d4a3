/** Replays the pods of a node revision by revision: is the slot covered at each of them? */
import { PODS } from '../../../src/core/api/registry/resources.ts';
import type { Pod } from '../../../src/core/api/types/core-v1.ts';
import { parseQuantity } from '../../../src/core/kube/quantity.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { isTerminal } from '../../../src/core/placement/pod-record.ts';
import type { Client } from '../../../src/machinery/client/client.ts';

export class SlotStream {
  readonly #node: string;
  readonly #stopping = new AbortController();
  readonly #followed: Promise<void>;
  /** Each committed state of the node's pods, as milli-CPUs and names. */
  readonly #states: { readonly cpu: number; readonly names: readonly string[]; readonly revision: string }[] = [];
  readonly #pods = new Map<string, Stored<Pod>>();

  constructor(client: Client, node: string) {
    this.#node = node;
    this.#followed = this.#follow(client).catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) throw error;
    });
  }

  async #follow(client: Client): Promise<void> {
    for await (const events of client.watch(PODS, {
      sendInitialEvents: true,
      allowWatchBookmarks: true,
      signal: this.#stopping.signal,
    })) {
      for (const event of events) {
        if (event.type === 'BOOKMARK') continue;
        const pod = event.object;
        if (event.type === 'DELETED' || isTerminal(pod) || pod.spec.nodeName !== this.#node)
          this.#pods.delete(pod.metadata.uid);
        else this.#pods.set(pod.metadata.uid, pod);
        const held = [...this.#pods.values()];
        this.#states.push({
          cpu: held.reduce((sum, each) => sum + milliCpu(each), 0),
          names: held.map(({ metadata }) => metadata.name),
          revision: pod.metadata.resourceVersion,
        });
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#followed;
  }

  /** The revisions at which less than this was held, after the first at which it was. */
  uncovered(cpu: string): readonly string[] {
    const wanted = milliOf(cpu);
    const first = this.#states.findIndex((state) => state.cpu >= wanted);
    const gaps = this.#states.slice(first).filter((state) => state.cpu < wanted);
    return gaps.map(({ revision, names, cpu: held }) => `${revision}: ${held}m by ${names.join()}`);
  }
}

const milliOf = (text: string): number => {
  const parsed = parseQuantity(text);
  return Number(parsed === undefined ? 0 : text.endsWith('m') ? text.slice(0, -1) : Number(text) * 1000);
};
const milliCpu = ({ spec }: Pod): number =>
  spec.containers.reduce((sum, { resources }) => sum + milliOf(String(resources?.requests?.['cpu'] ?? '0')), 0);
