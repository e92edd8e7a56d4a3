/**
 * The data of a ControllerRevision: a patch that puts the pod template back. Revisions are told apart by its bytes, so they
 * are Go's bytes: keys sorted, `<`, `>` and `&` escaped.
 */
import type { ControllerRevision } from '../../core/api/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../core/api/types/core-v1.ts';
import { encodeGoJson, parseJson, type Json, type JsonObject } from '../../core/kube/json.ts';

const texts = new WeakMap<PodTemplateSpec, string>();
const storedTexts = new WeakMap<object, string>();
const templates = new WeakMap<object, PodTemplateSpec>();

/** The patch as text; computed once for a template. */
export function patchText(template: PodTemplateSpec): string {
  let text = texts.get(template);
  if (text === undefined) {
    const patch = { spec: { template: { ...(template as JsonObject), $patch: 'replace' } } };
    text = encodeGoJson(patch, { sortKeys: true });
    texts.set(template, text);
  }
  return text;
}

/** The patch as data, its members in the order of the text. */
export const patchData = (template: PodTemplateSpec): Json => parseJson(patchText(template));

/** Whether the revision is a snapshot of this template. */
export function isSnapshotOf(revision: ControllerRevision, template: PodTemplateSpec): boolean {
  const { data } = revision;
  if (typeof data !== 'object' || data === null) return false;
  let text = storedTexts.get(data);
  if (text === undefined) storedTexts.set(data, (text = encodeGoJson(data, { sortKeys: true })));
  return text === patchText(template);
}

/** The template that the revision is a snapshot of; undefined where its data holds none. One object for one revision. */
export function templateOf(revision: ControllerRevision): PodTemplateSpec | undefined {
  const { data } = revision as { readonly data?: { readonly spec?: { readonly template?: JsonObject } } };
  const stored = data?.spec?.template;
  if (stored === undefined) return undefined;
  let template = templates.get(stored);
  if (template === undefined) {
    const { $patch: _, ...rest } = stored;
    templates.set(stored, (template = rest as unknown as PodTemplateSpec));
  }
  return template;
}
