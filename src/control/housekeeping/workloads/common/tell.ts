/** Events as the controllers of workloads emit them. */
import type { KubeObject } from '../../../../core/kube/objects.ts';
import { textOf } from '../../../../machinery/children/write-outcomes.ts';
import type { ChildEvents } from '../../../../machinery/children/child-writer.ts';

export type Severity = 'Normal' | 'Warning';
export type Tell = (object: KubeObject, type: Severity, reason: string, note: string) => void;

/** The notes of events about pods. */
export interface PodWords<O extends KubeObject> {
  done(verb: 'create' | 'delete', pod: string, owner: O): string;
  failed(verb: 'create' | 'delete', pod: string, owner: O, error: string): string;
}

/** The notes of ReplicaSets and Jobs. */
const WORDS: PodWords<KubeObject> = {
  done: (verb, pod) => `${verb === 'create' ? 'Created' : 'Deleted'} pod: ${pod}`,
  failed: (verb, _pod, _owner, error) => `Error ${verb === 'create' ? 'creating' : 'deleting'}: ${error}`,
};

/** @param named the owner with its kind and apiVersion, as events refer to it. */
export function podEvents<O extends KubeObject>(
  tell: Tell,
  named: (owner: O) => O,
  words: PodWords<O> = WORDS,
): ChildEvents<O> {
  return {
    created: (owner, pod) => tell(named(owner), 'Normal', 'SuccessfulCreate', words.done('create', pod, owner)),
    createFailed: (owner, error, pod) =>
      tell(named(owner), 'Warning', 'FailedCreate', words.failed('create', pod, owner, textOf(error))),
    deleted: (owner, pod) => tell(named(owner), 'Normal', 'SuccessfulDelete', words.done('delete', pod, owner)),
    deleteFailed: (owner, error, pod) =>
      tell(named(owner), 'Warning', 'FailedDelete', words.failed('delete', pod, owner, textOf(error))),
  };
}
