/** ValidatingAdmissionWebhook: webhooks that may only refuse, all asked at once. */
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/admission.ts';
import { isExempt } from '../match-rules.ts';
import { ask, formWanted, type WebhookParts } from './ask.ts';
import { createHooks } from './hooks.ts';

const ALLOWED: AdmissionResponse = { allowed: true };

export function createValidatingWebhooks(parts: WebhookParts): AdmissionPlugin {
  const hooks = createHooks(parts.store, 'validatingwebhookconfigurations');

  async function judge(request: AdmissionRequest): Promise<AdmissionResponse> {
    const asked = hooks().flatMap((hook) => {
      const form = formWanted(hook, request, parts);
      return form === undefined ? [] : [ask(hook, request, form, false, parts)];
    });
    // All are waited for, and of several refusals the first configured is told.
    const answers = await Promise.allSettled(asked);
    const warnings: string[] = [];
    for (const answer of answers) {
      if (answer.status === 'rejected') throw answer.reason;
      warnings.push(...(answer.value?.warnings ?? []));
    }
    return { allowed: true, warnings };
  }

  return {
    name: 'ValidatingAdmissionWebhook',
    handles: (request) => !isExempt(request),
    validate: (request) => (hooks().length === 0 ? ALLOWED : judge(request)),
  };
}
