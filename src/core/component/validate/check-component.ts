/**
 * Everything that can be known to be wrong with a component before a cluster sees it: what the reader found, the
 * component's own rules, what rendering found, and what Kubernetes says of the rendered objects, by the very rules the API
 * server has. All of it at once, in the author's words and places.
 */
import { configMapStrategy } from '../../api/kinds/config-map.ts';
import { namespaceStrategy } from '../../api/kinds/namespace.ts';
import {
  clusterRoleBindingStrategy,
  clusterRoleStrategy,
  roleBindingStrategy,
  roleStrategy,
} from '../../api/kinds/rbac.ts';
import { secretStrategy } from '../../api/kinds/secret.ts';
import { serviceAccountStrategy } from '../../api/kinds/service-account.ts';
import { daemonSetStrategy } from '../../api/kinds/workloads/daemon-set.ts';
import type { KindStrategy } from '../../api/kind/kind-definition.ts';
import type { FieldError } from '../../kube/field-errors.ts';
import { inOrder, type Problem } from '../problem.ts';
import { problemAt, type ReadComponent } from '../read/read-component.ts';
import type { RenderedObject } from '../render/objects.ts';
import { renderComponent, type Rendered, type RenderOptions } from '../render/render.ts';
import { originOf } from './origin.ts';
import { checkRules } from './rules.ts';

/** In the wide sense of a strategy for whatever kind. */
const wide = (strategy: unknown): KindStrategy => strategy as KindStrategy;

const STRATEGIES: { readonly [kind in RenderedObject['kind']]?: KindStrategy } & {
  readonly [kind: string]: KindStrategy;
} = {
  Namespace: wide(namespaceStrategy),
  ServiceAccount: wide(serviceAccountStrategy),
  ClusterRole: wide(clusterRoleStrategy),
  ClusterRoleBinding: wide(clusterRoleBindingStrategy),
  Role: wide(roleStrategy),
  RoleBinding: wide(roleBindingStrategy),
  ConfigMap: wide(configMapStrategy),
  Secret: wide(secretStrategy),
  DaemonSet: wide(daemonSetStrategy),
};

export interface CheckedComponent {
  readonly rendered: Rendered;
  /** In the order of the file. Empty: the component can be applied. */
  readonly problems: readonly Problem[];
}

export function checkComponent(read: ReadComponent, options: RenderOptions = {}): CheckedComponent {
  const rendered = renderComponent(read.component, options);
  const problems = [...read.problems];
  // Problems of rendered objects that follow from problems of the manifest are not reported a second time.
  const told = new ToldPaths();
  for (const { path } of problems) told.add(path);
  const add = (problem: Problem): void => {
    if (told.isRelated(problem.path)) return;
    told.add(problem.path);
    problems.push(problem);
  };
  for (const { path, fault } of checkRules(read.component, rendered.identity)) add(problemAt(read, path, fault));
  for (const { path, fault } of rendered.findings) add(problemAt(read, path, fault));
  for (const object of rendered.objects) {
    for (const { field, message } of faultsOf(object)) {
      const path = originOf(read.component, rendered, object, field);
      add(
        problemAt(read, path, {
          code: 'EN_COMPONENT_REJECTED',
          message: `Kubernetes would reject this: ${brief(message)}`,
        }),
      );
    }
  }
  return { rendered, problems: inOrder(problems.filter((problem) => !isConsequence(problem, problems))) };
}

/** Kubernetes prints whole structures as it knows them inside; authors do not. */
const brief = (message: string): string => message.replace(/^Invalid value: \{.*\}: /s, '');

function faultsOf(object: RenderedObject): readonly FieldError[] {
  const strategy = STRATEGIES[object.kind];
  if (strategy === undefined) return [];
  // Values of Secrets are not looked at: whatever they are, nothing may be said about them.
  const visible = object.kind === 'Secret' ? { ...object, type: 'Opaque', data: {} } : object;
  return strategy.validate(strategy.defaults(visible));
}

/** A mount finds no volume because the volume is wrong, and that is told already. */
function isConsequence({ code, path, message }: Problem, all: readonly Problem[]): boolean {
  if (code !== 'EN_COMPONENT_REJECTED' || !message.includes('Not found: ') || !path.endsWith('].name')) return false;
  const mount = path.slice(0, -'.name'.length);
  return all.some((other) => other.path !== path && other.path.startsWith(mount));
}

/** Paths of which something is told. Another one is related when it is one of them, inside of one, or around one. */
class ToldPaths {
  readonly #told = new Set<string>();
  readonly #around = new Set<string>();

  add(path: string): void {
    this.#told.add(path);
    for (const outer of outerPaths(path)) this.#around.add(outer);
  }

  isRelated(path: string): boolean {
    if (this.#told.has(path) || this.#around.has(path)) return true;
    for (const outer of outerPaths(path)) if (this.#told.has(outer)) return true;
    return false;
  }
}

/** `a` and `a[0]` of `a[0].b`. */
function* outerPaths(path: string): Generator<string> {
  yield '';
  for (let at = 1; at < path.length; at++) if (path[at] === '.' || path[at] === '[') yield path.slice(0, at);
}
