/**
 * PodSecurity: labels of namespaces limit what their pods may do. Pods beyond the enforced level are refused;
 * templates, and pods beyond the warn level, get warnings. Nothing is checked where no label sets a level.
 */
import { subtreeMemo } from '../../core/api/rules/memo.ts';
import type { Container, Namespace, Pod, PodSpec } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import { forbiddenRequest, invalidObject } from '../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../machinery/ports/admission.ts';
import type { Store } from '../store/store.ts';
import { detailText, evaluate, reasonText } from '../../core/api/pod-security/evaluate.ts';
import {
  compareLevels,
  isPrivileged,
  isSameLevel,
  levelText,
  type LevelVersion,
  type Mode,
  type Policy,
  PRIVILEGED_POLICY,
  type ReadPolicy,
  readPolicy,
} from '../../core/api/pod-security/policy.ts';
import type { Finding } from '../../core/api/pod-security/subject.ts';
import { templateOf } from '../../core/api/pod-security/templates.ts';

export interface PodSecurityOptions {
  /** The policy of namespaces without pod-security labels. */
  readonly defaults?: Partial<Policy>;
  readonly exemptions?: {
    readonly namespaces?: readonly string[];
    readonly usernames?: readonly string[];
    readonly runtimeClasses?: readonly string[];
  };
}

const ALLOWED: AdmissionResponse = { allowed: true };
/** Subresources of pods that change nothing a policy speaks of. */
const IGNORED: ReadonlySet<string> = new Set([
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
]);
/** Upper bound on the pods of a namespace that are checked when its policy becomes stricter. */
const MOST_PODS = 3000;

export function createPodSecurity(store: Store, options: PodSecurityOptions = {}): AdmissionPlugin {
  const defaults: Policy = { ...PRIVILEGED_POLICY, ...options.defaults };
  const { namespaces = [], usernames = [], runtimeClasses = [] } = options.exemptions ?? {};
  const judge = createJudge();
  const byLabels = new WeakMap<object, ReadPolicy>();
  const UNSAID: ReadPolicy = { policy: defaults, errors: [] };

  const policyOf = (labels: { readonly [key: string]: string } | undefined): ReadPolicy => {
    if (labels === undefined) return UNSAID;
    let known = byLabels.get(labels);
    if (known === undefined) byLabels.set(labels, (known = readPolicy(labels, defaults)));
    return known;
  };

  /** The policy of the request's namespace; undefined where no check is needed (exempt, or privileged in all modes). */
  function applicable(request: AdmissionRequest, modes: readonly Mode[]): ReadPolicy | undefined {
    const { namespace, tenant, user } = request;
    if (namespaces.includes(namespace) || usernames.includes(user.name)) return undefined;
    const home = store.accepted({ tenant, group: '', resource: 'namespaces', namespace: '', name: namespace });
    const said = policyOf(home?.metadata.labels);
    const isQuiet = said.errors.length === 0 && modes.every((mode) => said.policy[mode].level === 'privileged');
    return isQuiet ? undefined : said;
  }

  const isExempt = ({ runtimeClassName }: PodSpec): boolean =>
    runtimeClassName !== undefined && runtimeClasses.includes(runtimeClassName);

  function validatePod(request: AdmissionRequest): AdmissionResponse {
    const said = applicable(request, ['enforce', 'audit', 'warn']);
    const pod = request.object as Pod;
    if (said === undefined || pod.spec === undefined) return ALLOWED;
    if (request.operation === 'UPDATE' && !hasNewImage(pod.spec, (request.oldObject as Pod).spec)) return ALLOWED;
    if (isExempt(pod.spec)) return ALLOWED;
    const { enforce } = said.policy;
    const findings = judge(enforce, pod.metadata.annotations, pod.spec);
    if (findings.length === 0) return warned(said.policy.warn, pod.metadata.annotations, pod.spec);
    const why = `violates PodSecurity "${levelText(enforce)}": ${detailText(findings)}`;
    return { allowed: false, error: forbiddenRequest(request.resource, request.name, why) };
  }

  function validateTemplate(request: AdmissionRequest): AdmissionResponse {
    const said = applicable(request, ['audit', 'warn']);
    const template = said === undefined ? undefined : templateOf(request.kind, request.object);
    if (said === undefined || template?.spec === undefined || isExempt(template.spec)) return ALLOWED;
    return warned(said.policy.warn, template.metadata?.annotations, template.spec);
  }

  function warned(
    level: LevelVersion,
    annotations: { readonly [key: string]: string } | undefined,
    spec: PodSpec,
  ): AdmissionResponse {
    const findings = judge(level, annotations, spec);
    if (findings.length === 0) return ALLOWED;
    return { allowed: true, warnings: [`would violate PodSecurity "${levelText(level)}": ${detailText(findings)}`] };
  }

  function validateNamespace(request: AdmissionRequest): AdmissionResponse {
    const namespace = request.object as Namespace;
    const old = request.oldObject as Namespace | undefined;
    const { name } = namespace.metadata;
    const next = policyOf(namespace.metadata.labels);
    const before = old === undefined ? undefined : policyOf(old.metadata.labels);
    const isNews = (before?.errors.length ?? 0) === 0 || !isSameErrors(next, before);
    if (next.errors.length > 0 && isNews) {
      return { allowed: false, error: invalidObject({ group: '', kind: 'Namespace' }, name, next.errors) };
    }
    const { enforce } = next.policy;
    if (before !== undefined) {
      const previous = before.policy.enforce;
      const isLooser = enforce.version === previous.version && compareLevels(enforce.level, previous.level) < 1;
      if (isSameLevel(enforce, previous) || enforce.level === 'privileged' || isLooser) return ALLOWED;
    }
    if (namespaces.includes(name)) {
      const warning = exemptWarning(name, next.policy, namespace.metadata.labels ?? {});
      return warning === undefined ? ALLOWED : { allowed: true, warnings: [warning] };
    }
    if (before === undefined) return ALLOWED;
    const pods = store.list({ tenant: request.tenant, group: '', resource: 'pods' }, { namespace: name });
    return { allowed: true, warnings: existingWarnings(pods as Iterable<Stored<Pod>>, name, enforce) };
  }

  /** Pods that would not come in any more; those there are stay. One pod of each controller is looked at first. */
  function existingWarnings(pods: Iterable<Stored<Pod>>, namespace: string, level: LevelVersion): readonly string[] {
    const first: Stored<Pod>[] = [];
    const others: Stored<Pod>[] = [];
    const seen = new Set<string>();
    for (const pod of pods) {
      if (pod.spec === undefined || isExempt(pod.spec)) continue;
      const owner = controllerOf(pod)?.uid;
      if (owner !== undefined && seen.has(owner)) others.push(pod);
      else first.push(pod);
      if (owner !== undefined) seen.add(owner);
    }
    const all = [...first, ...others];
    const counts = new Map<string, { name: string; count: number }>();
    for (const { metadata, spec } of all.slice(0, MOST_PODS)) {
      const findings = spec === undefined ? [] : judge(level, metadata.annotations, spec);
      if (findings.length === 0) continue;
      const reason = reasonText(findings);
      const known = counts.get(reason);
      if (known === undefined) counts.set(reason, { name: metadata.name, count: 1 });
      else {
        known.count += 1;
        if (metadata.name < known.name) known.name = metadata.name;
      }
    }
    const warnings: string[] = [];
    if (all.length > MOST_PODS) {
      const text = `new PodSecurity enforce level only checked against the first ${MOST_PODS} of ${all.length} existing pods`;
      warnings.push(text);
    }
    if (counts.size > 0) {
      const text = `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${levelText(level)}"`;
      warnings.push(text);
    }
    const told = Array.from(counts, ([reason, { name, count }]) => `${name}${andOthers(count)}: ${reason}`);
    return [...warnings, ...told.toSorted()];
  }

  /** Labels on a namespace for which they do not count. */
  function exemptWarning(name: string, policy: Policy, labels: { readonly [key: string]: string }): string | undefined {
    const isDefault = MODES.every(
      (mode) =>
        isSameLevel(policy[mode], defaults[mode]) ||
        (policy[mode].level === 'privileged' && defaults[mode].level === 'privileged'),
    );
    if (isPrivileged(policy) || isDefault) return undefined;
    const said = MODES.filter(
      (mode) =>
        policy[mode].level !== 'privileged' &&
        (labels[`${PREFIX}${mode}`] !== undefined || labels[`${PREFIX}${mode}-version`] !== undefined),
    );
    const text = said.map((mode) => `${mode}=${levelText(policy[mode])}`).join(', ');
    return `namespace "${name}" is exempt from Pod Security, and the policy (${text}) will be ignored`;
  }

  return {
    name: 'PodSecurity',
    handles({ operation, resource, subresource }) {
      if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
      if (resource.group === '' && resource.resource === 'pods') return !IGNORED.has(subresource);
      if (subresource !== '') return false;
      return (
        (resource.group === '' && resource.resource === 'namespaces') ||
        HAS_TEMPLATE.has(resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`)
      );
    },
    validate(request) {
      if (request.resource.resource === 'pods') return validatePod(request);
      return request.resource.resource === 'namespaces' ? validateNamespace(request) : validateTemplate(request);
    },
  };
}

const MODES: readonly Mode[] = ['enforce', 'audit', 'warn'];
const PREFIX = 'pod-security.kubernetes.io/';
const HAS_TEMPLATE: ReadonlySet<string> = new Set([
  'replicationcontrollers',
  'podtemplates',
  'replicasets.apps',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'cronjobs.batch',
]);

const andOthers = (count: number): string =>
  count === 1 ? '' : count === 2 ? ' (and 1 other pod)' : ` (and ${count - 1} other pods)`;

const isSameErrors = (a: ReadPolicy, b: ReadPolicy | undefined): boolean =>
  b !== undefined &&
  a.errors.length === b.errors.length &&
  a.errors.every((error, i) => error.field === b.errors[i]?.field && error.message === b.errors[i]?.message);

/** Of what may change on a pod, only images and new ephemeral containers bear on policies. */
function hasNewImage(next: PodSpec, old: PodSpec | undefined): boolean {
  if (next === old || old === undefined) return old === undefined;
  const isChanged = (a: readonly Container[] = [], b: readonly Container[] = []): boolean =>
    a !== b && (a.length !== b.length || a.some(({ image }, i) => image !== b[i]?.image));
  const ephemeral = (next.ephemeralContainers ?? []).some(({ name, image }) => {
    const before = (old.ephemeralContainers ?? []).find((each) => each.name === name);
    return before === undefined || before.image !== image;
  });
  return isChanged(next.containers, old.containers) || isChanged(next.initContainers, old.initContainers) || ephemeral;
}

/** Everything of a pod that a check may look at. */
const LOOKED_AT = [
  'initContainers',
  'ephemeralContainers',
  'volumes',
  'securityContext',
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'hostUsers',
  'os',
] as const;

interface Judged {
  readonly spec: PodSpec;
  readonly annotations: object | undefined;
  readonly level: LevelVersion;
  readonly findings: readonly Finding[];
}

/** Pods of a template share their parts: what was found about them once holds for all. */
function createJudge() {
  const memo = subtreeMemo<readonly Container[], Judged>();
  return (
    level: LevelVersion,
    annotations: { readonly [key: string]: string } | undefined,
    spec: PodSpec,
  ): readonly Finding[] => {
    if (level.level === 'privileged') return [];
    const known = memo.get(spec.containers);
    if (
      known !== undefined &&
      known.annotations === annotations &&
      isSameLevel(known.level, level) &&
      LOOKED_AT.every((part) => known.spec[part] === spec[part])
    ) {
      return known.findings;
    }
    const findings = evaluate(level, annotations, spec);
    memo.offer(spec.containers, { spec, annotations, level, findings });
    return findings;
  };
}
