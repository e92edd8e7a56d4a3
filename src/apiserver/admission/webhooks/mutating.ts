/**
 * MutatingAdmissionWebhook: webhooks that may change an object, one after the other. When one changed it, the plugins
 * before this one look at it again, and so do webhooks that asked to (`reinvocationPolicy: IfNeeded`) and were asked
 * before the last change; once, so that two which disagree do not go on for ever.
 */
import { decodeJsonPatch, applyJsonPatch, JsonPatchError } from '../../../core/kube/json-patch.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import { goQuote } from '../../../core/kube/go-text.ts';
import { parseJson, type Json } from '../../../core/kube/json.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { badRequest, internalError } from '../../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/admission.ts';
import { createAdmissionChain } from '../chain.ts';
import { createDecoder } from '../../handlers/decode.ts';
import { isExempt } from '../match-rules.ts';
import { ask, formWanted, toForm, type WebhookParts } from './ask.ts';
import { createHooks, type Hook } from './hooks.ts';

const ALLOWED: AdmissionResponse = { allowed: true };

export function createMutatingWebhooks(parts: WebhookParts, before: readonly AdmissionPlugin[]): AdmissionPlugin {
  const hooks = createHooks(parts.store, 'mutatingwebhookconfigurations');
  const earlier = createAdmissionChain(before);
  const decoder = createDecoder();

  /** The object after the webhook; the very same when it left it alone. */
  async function afterHook(
    hook: Hook,
    request: AdmissionRequest,
  ): Promise<{ asked: boolean; object: KubeObject | undefined; warnings: readonly string[] }> {
    const { object } = request;
    const form = formWanted(hook, request, parts);
    if (form === undefined) return { asked: false, object, warnings: [] };
    const answer = await ask(hook, request, form, true, parts);
    const warnings = answer?.warnings ?? [];
    if (answer?.patch === undefined || object === undefined) return { asked: true, object, warnings };
    const patched = applyPatch(hook, toForm(object, form), answer.patch);
    const kind = parts.registry.byResource(request.resource.group, request.resource.version, request.resource.resource);
    const stored = form.conversion === undefined ? patched : form.conversion.toStorage(patched);
    // A subresource may carry a kind of its own, which has no defaults to fill in.
    const whole =
      kind === undefined || stored.kind !== kind.kind
        ? stored
        : decoder.decode(kind, stored, { fieldValidation: 'Ignore' });
    return { asked: true, object: deepEqual(whole, object) ? object : whole, warnings };
  }

  async function admit(request: AdmissionRequest): Promise<AdmissionResponse> {
    const all = hooks();
    const warnings: string[] = [];
    let current = request;
    /** Asked already, and willing to be asked again. */
    const willing = new Set<string>();
    let again = new Set<string>();
    let changed = false;
    const pass = async (wanted: (hook: Hook) => boolean): Promise<void> => {
      for (const hook of all) {
        if (!wanted(hook)) continue;
        const result = await afterHook(hook, current);
        warnings.push(...result.warnings);
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
    return { allowed: true, ...(current.object === undefined ? {} : { object: current.object }), warnings };
  }

  return {
    name: 'MutatingAdmissionWebhook',
    handles: (request) => !isExempt(request),
    mutate: (request) => (hooks().length === 0 ? ALLOWED : admit(request)),
  };
}

function applyPatch({ webhook }: Hook, object: KubeObject, patch: string): KubeObject {
  try {
    const operations = decodeJsonPatch(parseJson(patch));
    return applyJsonPatch(object as unknown as Json, operations) as unknown as KubeObject;
  } catch (error) {
    if (error instanceof JsonPatchError) throw internalError(error);
    throw badRequest(
      `admission webhook ${goQuote(webhook.name)} sent a patch that cannot be read: ${(error as Error).message}`,
    );
  }
}
