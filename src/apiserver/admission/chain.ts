/**
 * The admission chain: every plugin may first change the object, in order; after validation of the result every
 * plugin may refuse it. Which plugins look at what is decided once for each kind, operation and subresource, and
 * as long as no plugin answers with a promise the whole chain stays synchronous.
 */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../machinery/ports/admission.ts';

type Warn = ((message: string) => void) | undefined;

export interface AdmissionChain {
  /** The object to go on with; throws the `StatusError` of the first plugin that refuses. */
  mutate(
    kind: KindDefinition,
    request: AdmissionRequest,
    warn: Warn,
  ): KubeObject | undefined | Promise<KubeObject | undefined>;
  validate(kind: KindDefinition, request: AdmissionRequest, warn: Warn): void | Promise<void>;
}

type Step = (request: AdmissionRequest) => AdmissionResponse | Promise<AdmissionResponse>;
interface Steps {
  readonly mutate: readonly Step[];
  readonly validate: readonly Step[];
}

export function createAdmissionChain(plugins: readonly AdmissionPlugin[]): AdmissionChain {
  const byKind = new WeakMap<KindDefinition, Map<string, Steps>>();

  const stepsFor = (kind: KindDefinition, request: AdmissionRequest): Steps => {
    let known = byKind.get(kind);
    if (known === undefined) byKind.set(kind, (known = new Map()));
    const what = request.subresource === '' ? request.operation : `${request.operation}/${request.subresource}`;
    let steps = known.get(what);
    if (steps === undefined) known.set(what, (steps = selectSteps(plugins, request)));
    return steps;
  };

  return {
    mutate: (kind, request, warn) => runMutating(stepsFor(kind, request).mutate, 0, request, warn),
    validate: (kind, request, warn) => runValidating(stepsFor(kind, request).validate, 0, request, warn),
  };
}

function selectSteps(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Steps {
  const mutate: Step[] = [];
  const validate: Step[] = [];
  for (const plugin of plugins) {
    if (!plugin.handles(request)) continue;
    if (plugin.mutate !== undefined) mutate.push((r) => plugin.mutate?.(r) ?? ALLOWED);
    if (plugin.validate !== undefined) validate.push((r) => plugin.validate?.(r) ?? ALLOWED);
  }
  return { mutate, validate };
}

const ALLOWED: AdmissionResponse = { allowed: true };

function runMutating(
  steps: readonly Step[],
  from: number,
  request: AdmissionRequest,
  warn: Warn,
): KubeObject | undefined | Promise<KubeObject | undefined> {
  let current = request;
  for (let at = from; at < steps.length; at++) {
    const answer = steps[at]?.(current) ?? ALLOWED;
    if (answer instanceof Promise) {
      const asked = current;
      return answer.then((late) => runMutating(steps, at + 1, proceed(asked, late, warn), warn));
    }
    current = proceed(current, answer, warn);
  }
  return current.object;
}

function runValidating(
  steps: readonly Step[],
  from: number,
  request: AdmissionRequest,
  warn: Warn,
): void | Promise<void> {
  for (let at = from; at < steps.length; at++) {
    const answer = steps[at]?.(request) ?? ALLOWED;
    if (answer instanceof Promise) {
      return answer.then((late) => {
        proceed(request, late, warn);
        return runValidating(steps, at + 1, request, warn);
      });
    }
    proceed(request, answer, warn);
  }
}

/** The request the next plugin sees. */
function proceed(request: AdmissionRequest, answer: AdmissionResponse, warn: Warn): AdmissionRequest {
  if (answer.warnings !== undefined && warn !== undefined) for (const text of answer.warnings) warn(text);
  if (!answer.allowed) throw answer.error;
  return answer.object === undefined || answer.object === request.object
    ? request
    : { ...request, object: answer.object };
}
