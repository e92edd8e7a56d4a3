/** ValidatingAdmissionWebhook: webhooks that may only refuse, all asked at once. */
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/ports/admission.ts';
import { isExempt } from '../match-rules.ts';
import { ask, formWanted, refusal, type WebhookParts } from './ask.ts';
import { createHooks } from './hooks.ts';

const ALLOWED: AdmissionResponse = { allowed: true };

export function createValidatingWebhooks(parts: WebhookParts): AdmissionPlugin {
  const hooks = createHooks(parts.store, 'validatingwebhookconfigurations');

  async function judge(request: AdmissionRequest): Promise<AdmissionResponse> {
    const warnings: string[][] = [];
    const asked = hooks().flatMap((hook) => {
      const form = formWanted(hook, request, parts);
      if (form === undefined) return [];
      const own: string[] = [];
      warnings.push(own);
      return [ask(hook, request, form, false, parts, own)];
    });
    // All answers are awaited, and of several refusals the first configured is returned.
    const answers = await Promise.allSettled(asked);
    for (const answer of answers) {
      if (answer.status === 'rejected') return refusal(answer.reason, warnings.flat());
    }
    return { allowed: true, warnings: warnings.flat() };
  }

  return {
    name: 'ValidatingAdmissionWebhook',
    handles: (request) => !isExempt(request),
    validate: (request) => (hooks().length === 0 ? ALLOWED : judge(request)),
  };
}
