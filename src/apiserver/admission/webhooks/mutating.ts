/**
 * MutatingAdmissionWebhook: webhooks that may change an object, one after the other. When one changed it, the plugins
 * before this one look at it again, and so do webhooks that asked to (`reinvocationPolicy: IfNeeded`) and were asked
 * before the last change; once, so that two which disagree do not go on for ever.
 */
import { decodeJsonPatch, applyJsonPatch } from '../../../core/kube/json-patch.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import { parseJson, type Json } from '../../../core/kube/json.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { internalError } from '../../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/ports/admission.ts';
import { createAdmissionChain } from '../chain.ts';
import { createDecoder } from '../../handlers/steps/decode.ts';
import { isExempt } from '../match-rules.ts';
import { ask, formWanted, refusal, toForm, type WebhookParts } from './ask.ts';
import { createHooks, type Hook } from './hooks.ts';

const ALLOWED: AdmissionResponse = { allowed: true };

export function createMutatingWebhooks(parts: WebhookParts, before: readonly AdmissionPlugin[]): AdmissionPlugin {
  const hooks = createHooks(parts.store, 'mutatingwebhookconfigurations');
  const earlier = createAdmissionChain(before);
  const decoder = createDecoder();

  /** The object after the webhook; the very same object when the webhook changed nothing. */
  async function afterHook(
    hook: Hook,
    request: AdmissionRequest,
    warnings: string[],
  ): Promise<{ asked: boolean; object: KubeObject | undefined }> {
    const { object } = request;
    const form = formWanted(hook, request, parts);
    if (form === undefined) return { asked: false, object };
    const answer = await ask(hook, request, form, true, parts, warnings);
    if (answer?.patch === undefined || object === undefined) return { asked: true, object };
    const patched = applyPatch(toForm(object, form), answer.patch);
    const kind = parts.registry.byResource(request.resource.group, request.resource.version, request.resource.resource);
    const stored = form.conversion === undefined ? patched : form.conversion.toStorage(patched);
    // A subresource may carry a kind of its own, which has no defaults to fill in.
    const whole = kind === undefined || stored.kind !== kind.kind ? stored : decodePatched(kind, stored);
    return { asked: true, object: deepEqual(whole, object) ? object : whole };
  }

  /** An invalid result is the webhook's fault (500), not the client's. */
  function decodePatched(kind: KindDefinition, object: KubeObject): KubeObject {
    try {
      return decoder.decode(kind, object, { fieldValidation: 'Ignore' });
    } catch (error) {
      throw internalError(error);
    }
  }

  async function admit(request: AdmissionRequest): Promise<AdmissionResponse> {
    const warnings: string[] = [];
    try {
      const object = await afterAll(request, warnings);
      return { allowed: true, ...(object === undefined ? {} : { object }), warnings };
    } catch (error) {
      return refusal(error, warnings);
    }
  }

  async function afterAll(request: AdmissionRequest, warnings: string[]): Promise<KubeObject | undefined> {
    const all = hooks();
    let current = request;
    /** Webhooks that were called and have `reinvocationPolicy: IfNeeded`. */
    const willing = new Set<string>();
    let again = new Set<string>();
    let changed = false;
    const pass = async (wanted: (hook: Hook) => boolean): Promise<void> => {
      for (const hook of all) {
        if (!wanted(hook)) continue;
        const result = await afterHook(hook, current, warnings);
        if (!result.asked) continue;
        if (result.object !== undefined && result.object !== current.object) {
          current = { ...current, object: result.object };
          changed = true;
          again = new Set(willing);
        }
        if ('reinvocationPolicy' in hook.webhook && hook.webhook.reinvocationPolicy === 'IfNeeded')
          willing.add(hook.id);
      }
    };
    await pass(() => true);
    if (changed) {
      const output = current.object;
      const kind = parts.registry.byResource(
        request.resource.group,
        request.resource.version,
        request.resource.resource,
      );
      const object =
        kind === undefined ? output : await earlier.mutate(kind, current, (text) => void warnings.push(text));
      if (object !== undefined && !deepEqual(object, output)) {
        current = { ...current, object };
        again = new Set(willing);
      }
      const chosen = again;
      await pass((hook) => chosen.has(hook.id));
    }
    return current.object;
  }

  return {
    name: 'MutatingAdmissionWebhook',
    handles: (request) => !isExempt(request),
    mutate: (request) => (hooks().length === 0 ? ALLOWED : admit(request)),
  };
}

function applyPatch(object: KubeObject, patch: string): KubeObject {
  let patched: KubeObject;
  try {
    patched = applyJsonPatch(object as unknown as Json, decodeJsonPatch(parseJson(patch))) as unknown as KubeObject;
  } catch (error) {
    throw internalError(error);
  }
  // A webhook changes an object; it does not put one of another kind in its place.
  const { apiVersion, kind } = patched;
  if (apiVersion === object.apiVersion && kind === object.kind) return patched;
  throw internalError(`a webhook made ${apiVersion}, Kind=${kind} of ${object.apiVersion}, Kind=${object.kind}`);
}
