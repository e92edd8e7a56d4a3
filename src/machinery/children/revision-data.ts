/**
 * What a ControllerRevision holds: a patch that puts the template back. Revisions are told apart by its bytes, so they
 * are Go's bytes: keys sorted, `<`, `>` and `&` escaped.
 */
import type { ControllerRevision, DaemonSet } from '../../core/api/types/apps-v1.ts';
import { encodeGoJson, parseJson, type Json, type JsonObject } from '../../core/kube/json.ts';

type Template = DaemonSet['spec']['template'];

const texts = new WeakMap<Template, string>();
const storedTexts = new WeakMap<object, string>();

/** The patch as text; computed once for a template. */
export function patchText(template: Template): string {
  let text = texts.get(template);
  if (text === undefined) {
    const patch = { spec: { template: { ...(template as JsonObject), $patch: 'replace' } } };
    text = encodeGoJson(patch, { sortKeys: true });
    texts.set(template, text);
  }
  return text;
}

/** The patch as data, its members in the order of the text. */
export const patchData = (template: Template): Json => parseJson(patchText(template));

/** Whether the revision is a snapshot of this template. */
export function isSnapshotOf(revision: ControllerRevision, template: Template): boolean {
  const { data } = revision;
  if (typeof data !== 'object' || data === null) return false;
  let text = storedTexts.get(data);
  if (text === undefined) storedTexts.set(data, (text = encodeGoJson(data, { sortKeys: true })));
  return text === patchText(template);
}
