/** The claim of a pod: which Tickets it asks for, and whether it waits for one. Read from its annotations. */
import { type FieldError, field, forbidden, invalid, notSupported } from '../../../kube/field-errors.ts';
import { labelOf } from '../../../kube/labels.ts';
import type { ObjectMeta } from '../../../kube/meta-v1.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../../kube/names.ts';
import type { Selector } from '../../../kube/selector.ts';
import { parseSelector } from '../../../kube/selector-text.ts';
import { CLAIM_ANNOTATIONS as CLAIM, RESERVATION_ANNOTATIONS } from '../../names.ts';

type ClaimMode = 'Required' | 'Preferred';

type ClaimTarget =
  | { readonly type: 'ticket'; readonly name: string }
  | { readonly type: 'selector'; readonly selector: Selector; readonly text: string }
  | { readonly type: 'group'; readonly group: string }
  | { readonly type: 'order'; readonly name: string };

export interface ClaimRequest {
  readonly mode: ClaimMode;
  /** Namespace of the Tickets. */
  readonly namespace: string;
  readonly target: ClaimTarget;
}

type Annotations = ObjectMeta['annotations'];

export type ReadClaim =
  /** The pod claims nothing. */
  | { readonly type: 'none' }
  | { readonly type: 'claim'; readonly request: ClaimRequest }
  | { readonly type: 'unreadable'; readonly findings: readonly FieldError[] };

const NONE: ReadClaim = Object.freeze({ type: 'none' });
const MODES: readonly ClaimMode[] = ['Required', 'Preferred'];
const PATH = 'metadata.annotations';

/** Whether the pod asks for a Ticket at all, in whatever words. */
export const isClaimant = ({ annotations }: ObjectMeta): boolean =>
  annotations !== undefined &&
  (Object.hasOwn(annotations, CLAIM.ticketRequest) || Object.hasOwn(annotations, CLAIM.orderRequest));

/** Whether both ask for the same. */
export const claimsAlike = (a: ObjectMeta, b: ObjectMeta): boolean =>
  Object.values(CLAIM).every((key) => labelOf(a.annotations, key) === labelOf(b.annotations, key));

/** @param namespace that of the pod. */
export function readClaim({ annotations }: Pick<ObjectMeta, 'annotations'>, namespace: string): ReadClaim {
  const ticket = labelOf(annotations, CLAIM.ticketRequest);
  const order = labelOf(annotations, CLAIM.orderRequest);
  const findings: FieldError[] = [];
  const mode = readMode(annotations, findings);
  if (ticket === undefined && order === undefined) return readNone(annotations, findings);
  if (ticket !== undefined && order !== undefined)
    findings.push(
      forbidden(
        field.key(PATH, CLAIM.orderRequest),
        `may not be used beside ${CLAIM.ticketRequest}: a pod claims one Ticket`,
      ),
    );
  const key = ticket === undefined ? CLAIM.orderRequest : CLAIM.ticketRequest;
  const found = readTarget(key, ticket ?? order ?? '', namespace);
  if (typeof found === 'string') findings.push(invalid(field.key(PATH, key), ticket ?? order, found));
  if (findings.length > 0 || typeof found === 'string') return { type: 'unreadable', findings };
  return { type: 'claim', request: { mode, ...found } };
}

function readMode(annotations: Annotations, findings: FieldError[]): ClaimMode {
  const mode = labelOf(annotations, CLAIM.claim) ?? 'Preferred';
  if (MODES.includes(mode as ClaimMode)) return mode as ClaimMode;
  findings.push(notSupported(field.key(PATH, CLAIM.claim), mode, MODES));
  return 'Preferred';
}

/** A mode alone is a slip: the pod would be scheduled like any other, and nobody would know why. */
function readNone(annotations: Annotations, findings: FieldError[]): ReadClaim {
  const mode = labelOf(annotations, CLAIM.claim);
  if (mode === undefined) return NONE;
  const path = field.key(PATH, CLAIM.claim);
  findings.push(
    forbidden(path, `says how to claim, but nothing is claimed: add ${CLAIM.orderRequest} or ${CLAIM.ticketRequest}`),
  );
  return { type: 'unreadable', findings };
}

type Found = Pick<ClaimRequest, 'namespace' | 'target'>;

/** The target, or what is wrong with the text. */
function readTarget(key: string, text: string, own: string): Found | string {
  const parts = /^(?:(?<namespace>[^/:,=]*)\/)?(?:(?<type>name|group|selector):)?(?<rest>[^]*)$/.exec(
    text.trim(),
  )?.groups;
  const { namespace = own, type = 'name', rest = '' } = parts ?? {};
  if (dns1123LabelProblems(namespace).length > 0) return `${JSON.stringify(namespace)} is not the name of a namespace`;
  const target = targetOf(key, type, rest.trim());
  return typeof target === 'string' ? target : { namespace, target };
}

const HOW_ORDER =
  'must be the name of an Order, name:ORDER or group:GROUP, with NAMESPACE/ in front for another namespace';
const HOW_TICKET =
  'must be the name of a Ticket, name:TICKET, selector:KEY=VALUE,… or group:GROUP, with NAMESPACE/ in front for another namespace';

function targetOf(key: string, type: string, rest: string): ClaimTarget | string {
  const isOrder = key === CLAIM.orderRequest;
  if (type === 'group') return rest === '' ? 'names no group' : { type: 'group', group: rest };
  if (type === 'selector') {
    if (isOrder) return HOW_ORDER;
    try {
      const selector = parseSelector(rest);
      return rest === '' ? 'selects nothing' : { type: 'selector', selector, text: rest };
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  if (dns1123SubdomainProblems(rest).length > 0) return isOrder ? HOW_ORDER : HOW_TICKET;
  return isOrder ? { type: 'order', name: rest } : { type: 'ticket', name: rest };
}

/** The claim in a few words, for events and reasons. */
export function describeClaim({ target, namespace }: ClaimRequest): string {
  switch (target.type) {
    case 'ticket':
      return `Ticket ${namespace}/${target.name}`;
    case 'order':
      return `a Ticket of Order ${namespace}/${target.name}`;
    case 'group':
      return `a Ticket of group ${target.group} in namespace ${namespace}`;
    case 'selector':
      return `a Ticket that matches ${target.text} in namespace ${namespace}`;
  }
}

/** Whether the annotation `claimable-from` of an Order lets pods of that namespace claim. */
export function isClaimableFrom({ annotations }: Pick<ObjectMeta, 'annotations'>, namespace: string): boolean {
  const text = labelOf(annotations, RESERVATION_ANNOTATIONS.claimableFrom) ?? '';
  return text.split(',').some((each) => each.trim() === '*' || each.trim() === namespace);
}
