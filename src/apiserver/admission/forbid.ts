import { forbiddenRequest } from '../../core/kube/status-error.ts';
import type { AdmissionRequest, AdmissionResponse } from '../../machinery/ports/admission.ts';

/** A refusal as Kubernetes words it; an object without a name yet is called by what its name will begin with. */
export function forbid(request: AdmissionRequest, why: string): AdmissionResponse {
  const meta = request.object?.metadata;
  const name = meta?.name || meta?.generateName || request.name;
  return { allowed: false, error: forbiddenRequest(request.resource, name, why) };
}

/** Several complaints as Go prints an aggregate of errors: each once, in brackets if there are several. */
export function aggregated(complaints: readonly string[]): string {
  const distinct = [...new Set(complaints)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
