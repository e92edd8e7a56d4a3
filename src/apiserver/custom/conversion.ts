/** Conversion that has to be waited for: a webhook is asked, and the request tried again with its answer. */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { KubeObject } from '../../core/kube/objects.ts';

/** Converts objects of a custom kind to another of its versions, all in one call. Rejects with `StatusError`. */
export type ConvertObjects = (
  kind: KindDefinition,
  objects: readonly KubeObject[],
  desiredApiVersion: string,
) => Promise<readonly KubeObject[]>;

/** Thrown where a form of an object is needed that is not converted yet; when `ready` resolves, the form is known. */
export class ConversionPending extends Error {
  override readonly name = 'ConversionPending';
  readonly ready: Promise<unknown>;
  constructor(ready: Promise<unknown>) {
    super('a conversion is under way');
    this.ready = ready;
  }
}

/** Each round converts at least one batch; more rounds than this would mean a converter that forgets its results. */
const MOST_ROUNDS = 1_000;

/** Runs a function that may need conversions, again after each of them. */
export async function withConversions<T>(run: () => T | Promise<T>): Promise<T> {
  for (let round = 0; ; round++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ConversionPending) || round >= MOST_ROUNDS) throw error;
      await error.ready;
    }
  }
}
