/**
 * Admission of a KubernetesDaemonSet: the same checks as for a manifest on the command line, and that secrets do not
 * belong into custom resources. A pure decision, for the embedded chain and for the webhook server.
 *
 * Rules may become stricter with a release, and stored objects stay stored. So an update that changes neither the spec
 * nor metadata that counts as part of it is not judged: statuses, labels and finalizers of such an object can be
 * written, and it can go.
 */
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { invalidObject } from '../../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/ports/admission.ts';
import { readObject } from '../../../core/component/load/load.ts';
import { dockerConfigMention } from '../../../core/component/secrets/secret-source.ts';
import { fieldErrorOf } from './field-error-of.ts';
import { judge } from './judge.ts';
import { COMPONENT_ADMISSION, handlesComponent } from './scope.ts';
import { warningsOf } from './warnings.ts';

const ALLOWED: AdmissionResponse = { allowed: true };

export function createComponentAdmission(): AdmissionPlugin {
  return {
    name: COMPONENT_ADMISSION,
    handles: handlesComponent,
    validate(request) {
      const { object, oldObject } = request;
      if (object === undefined || (oldObject !== undefined && saysTheSame(object, oldObject))) return ALLOWED;
      return answerTo(request, object);
    },
  };
}

/** In everything that is judged. Names do not change, and other metadata is the API server's to judge. */
function saysTheSame(object: KubeObject, before: KubeObject): boolean {
  const [now, then] = [object as WithSpec, before as WithSpec];
  return deepEqual(now.spec, then.spec) && deepEqual(mentionOf(now), mentionOf(then));
}

const mentionOf = ({ metadata }: KubeObject): unknown => dockerConfigMention(metadata);

interface WithSpec extends KubeObject {
  readonly spec?: unknown;
}

function answerTo({ resource, kind, name }: AdmissionRequest, object: KubeObject): AdmissionResponse {
  const called = object.metadata.name || name;
  const verdict = judge(readObject(object, called));
  if (verdict.problems.length === 0) {
    const warnings = warningsOf(verdict);
    return warnings.length === 0 ? ALLOWED : { allowed: true, warnings };
  }
  const error = invalidObject({ group: resource.group, kind }, called, verdict.problems.map(fieldErrorOf));
  return { allowed: false, error };
}
