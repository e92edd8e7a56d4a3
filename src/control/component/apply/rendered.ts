/**
 * apply/ brings the rendered objects of a component to a cluster and looks at them there. Nothing here prints, reads
 * files or knows a command line: the CLI and the controller both call these functions with a `Client`, a `Clock`,
 * chance, an `AbortSignal` and a listener for progress.
 *
 * The way of an apply: `prepare` makes objects ready to be sent, `survey` reads what is there and asks the server what it
 * would make of ours (a dry run, so every refusal is known before the first write), `plan` decides (pure), `apply`
 * carries out. `inventory` is the list of what a component has brought; it is written before the first object and shrunk
 * after the last, so whatever interrupts an apply, the next one finishes it. `diff`, `rollout/`, `status`, `history`,
 * `undo` and `delete` look at, wait for, describe, turn back and remove the same.
 *
 * No value of a Secret leaves this folder but towards the API server: see `secrets.ts`.
 */
import type { KubeObject } from '../../../core/kube/objects.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import type { Random } from '../../../machinery/random/random.ts';
import type { Progress } from './progress.ts';

/** Which component: its name, and the namespace its objects live in. */
export interface ComponentIdentity {
  readonly name: string;
  readonly namespace: string;
  /** Uid of the custom resource; undefined where a user applies a manifest. */
  readonly uid?: string;
}

/** A place in a rendered object whose value must stay hidden, beside the data of Secrets, which is always masked. */
export interface SecretPath {
  readonly kind: string;
  readonly name: string;
  readonly path: readonly (string | number)[];
}

export interface RenderedComponent {
  readonly identity: ComponentIdentity;
  readonly objects: readonly KubeObject[];
  readonly secretPaths?: readonly SecretPath[];
}

/** Parameters of every function in apply/ that talks to the API server. */
export interface ApplyContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** How long passing errors are waited out (default: a minute). */
  readonly retryForMs?: number;
}

/** `namespace/name`: how people and marks on objects call a component. */
export const identityText = ({ namespace, name }: ComponentIdentity): string => `${namespace}/${name}`;
