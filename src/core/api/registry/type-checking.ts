/**
 * Whether the expressions of a ValidatingAdmissionPolicy fit the types they will see. A policy may be about many kinds, and
 * about kinds that are not there yet: so this is no reason to refuse one, only something to tell its author.
 */
import { admissionEnvironment } from '../cel/admission.ts';
import { compileCel, type CelType, type DeclType } from '../cel/cel.ts';
import { withNames } from '../cel/decl-types.ts';
import { declTypeOfFacts } from '../cel/fact-types.ts';
import { declTypeOf } from '../cel/schema-types.ts';
import { DYN } from '../cel/types.ts';
import type { KindDefinition } from '../kind/kind-definition.ts';
import type { Registry } from './registry.ts';
import type { ExpressionWarning, ValidatingAdmissionPolicy } from '../types/admissionregistration-v1.ts';
import { field } from '../../kube/field-errors.ts';

/** Kinds of a rule beyond this number are not checked. */
const MOST_KINDS = 10;

type Kinds = Pick<Registry, 'byResource' | 'byKind'>;

export function typeCheckingWarnings(policy: ValidatingAdmissionPolicy, kinds: Kinds): readonly ExpressionWarning[] {
  const subjects = subjectsOf(policy, kinds).flatMap((kind) => {
    const object = declOfKind(kind);
    return object === undefined ? [] : [{ kind, check: checkerFor(policy, object, paramsOf(policy, kinds)) }];
  });
  const warnings: ExpressionWarning[] = [];
  const judge = (expression: string | undefined, fieldRef: string): void => {
    if (!expression) return;
    const found = subjects.flatMap(({ kind: { group, version, kind }, check }) => {
      const issues = check(expression);
      return issues === undefined ? [] : [`${group}/${version}, Kind=${kind}: ${issues}\n`];
    });
    if (found.length > 0) warnings.push({ fieldRef, warning: found.join('\n') });
  };
  for (const [index, { expression, messageExpression }] of (policy.spec.validations ?? []).entries()) {
    const at = field.index('spec.validations', index);
    judge(expression, `${at}.expression`);
    judge(messageExpression, `${at}.messageExpression`);
  }
  return warnings;
}

/** A checker for expressions about this kind; it returns the compiler's message, or undefined. */
function checkerFor(
  { spec }: ValidatingAdmissionPolicy,
  object: DeclType,
  params: DeclType | undefined,
): (expression: string) => string | undefined {
  const variables = new Map<string, CelType>();
  const options = {
    params: spec.paramKind !== undefined,
    authorizer: true,
    variables,
    object,
    ...(params === undefined ? {} : { paramsType: params }),
  };
  for (const { name, expression } of spec.variables ?? []) {
    const compiled = compileCel(expression, admissionEnvironment(options));
    variables.set(name, compiled.ok ? compiled.program.outputType : DYN);
  }
  return (expression) => {
    const compiled = compileCel(expression, admissionEnvironment(options));
    return compiled.ok || compiled.phase !== 'compile' ? undefined : compiled.message;
  };
}

/** The kinds that the policy names outright, in order; wildcards and subresources tell no types. */
function subjectsOf({ spec }: ValidatingAdmissionPolicy, kinds: Kinds): readonly KindDefinition[] {
  const found = new Set<KindDefinition>();
  for (const rule of spec.matchConstraints?.resourceRules ?? []) {
    const { apiGroups = [], apiVersions = [], resources = [] } = rule;
    if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) continue;
    const plain = resources.filter((name) => !/[*/]/.test(name)).toSorted();
    let count = 0;
    for (const group of apiGroups.toSorted())
      for (const version of apiVersions.toSorted())
        for (const resource of plain) {
          const kind = kinds.byResource(group, version, resource);
          if (kind === undefined) continue;
          found.add(kind);
          count += 1;
          if (count === MOST_KINDS) return inOrder(found);
        }
  }
  return inOrder(found);
}

const inOrder = (found: ReadonlySet<KindDefinition>): readonly KindDefinition[] =>
  [...found].toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));

const textOf = ({ group, version, kind }: KindDefinition): string => `${group} ${version} ${kind}`;

function paramsOf({ spec }: ValidatingAdmissionPolicy, kinds: Kinds): DeclType | undefined {
  const { apiVersion = '', kind = '' } = spec.paramKind ?? {};
  const slash = apiVersion.indexOf('/');
  const found = kinds.byKind(apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1), kind);
  return found === undefined ? undefined : declOfKind(found);
}

const OBJECT_META = 'meta/v1.ObjectMeta';

/** The type of a kind's objects; undefined if nothing is known of it. */
function declOfKind({ kind, schema, custom }: KindDefinition): DeclType | undefined {
  if (custom === undefined) {
    const decl = declTypeOfFacts(schema);
    return decl === undefined ? undefined : withNames(decl, kind);
  }
  const decl = custom.document === undefined ? undefined : declTypeOf(custom.document, true);
  const metadata = declTypeOfFacts(OBJECT_META);
  if (decl?.fields === undefined || metadata === undefined) return undefined;
  return withNames({ ...decl, fields: new Map(decl.fields).set('metadata', metadata) }, kind);
}
