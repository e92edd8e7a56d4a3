/**
 * Other resources on other nodes: one DaemonSet for small and large machines. A list of groups, each a label selector on
 * nodes and the resources of containers there; the first group that matches a node counts.
 *
 *   [{"selector": {"matchLabels": {"size": "large"}}, "containers": {"agent": {"requests": {"memory": "2Gi"}}}}]
 */
import type { Container, Node, PodSpec, ResourceRequirements } from '../../core/api/types/core-v1.ts';
import { fnv1a64Hex } from '../../core/kube/hash.ts';
import { encodeJson, parseJson, type Json } from '../../core/kube/json.ts';
import { compileLabelSelector } from '../../core/kube/label-selector.ts';
import { quantityProblem } from '../../core/kube/quantity.ts';

export interface Override {
  /** Changes with the content: pods with another key are out of date. */
  readonly key: string;
  matches(node: Node): boolean;
  readonly containers: ReadonlyMap<string, ResourceRequirements>;
}

export interface CompiledOverrides {
  readonly overrides: readonly Override[];
  readonly problem: string | undefined;
}

type Members = { readonly [key: string]: Json | undefined };
const isObject = (value: Json | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_GROUPS = 100;

export function compileOverrides(text: string): CompiledOverrides {
  try {
    const list = parseJson(text, { maxDepth: 12 });
    if (!Array.isArray(list)) throw new Error('expected a list');
    if (list.length > MAX_GROUPS) throw new Error(`at most ${MAX_GROUPS} groups`);
    return { overrides: list.map((item: Json, at) => compileOne(item, at)), problem: undefined };
  } catch (error) {
    return { overrides: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

function compileOne(item: Json, at: number): Override {
  if (!isObject(item) || !isObject(item['selector']) || !isObject(item['containers']))
    throw new Error(`[${at}]: expected "selector" and "containers"`);
  const selector = compileLabelSelector(item['selector']);
  const containers = new Map<string, ResourceRequirements>();
  for (const [name, resources] of Object.entries(item['containers'])) {
    if (!isObject(resources)) throw new Error(`[${at}].containers.${name}: expected requests and limits`);
    for (const part of ['requests', 'limits'] as const)
      checkQuantities(resources[part], `[${at}].containers.${name}.${part}`);
    containers.set(name, resources);
  }
  return {
    key: fnv1a64Hex(encodeJson(item['containers'])),
    matches: (node) => selector.matches(node.metadata.labels ?? {}),
    containers,
  };
}

function checkQuantities(quantities: Json | undefined, path: string): void {
  if (quantities === undefined) return;
  if (!isObject(quantities)) throw new Error(`${path}: expected quantities by resource`);
  for (const [name, quantity] of Object.entries(quantities)) {
    if (typeof quantity !== 'string' || quantityProblem(quantity) !== undefined)
      throw new Error(`${path}.${name}: ${JSON.stringify(quantity)} is no quantity`);
  }
}

export const overrideFor = (overrides: readonly Override[], node: Node): Override | undefined =>
  overrides.find((override) => override.matches(node));

/** The spec with the group's resources in place of the template's, resource by resource. */
export function withResources(spec: PodSpec, override: Override): PodSpec {
  const change = (container: Container): Container => {
    const resources = override.containers.get(container.name);
    if (resources === undefined) return container;
    const { requests, limits } = resources;
    const old = container.resources;
    return {
      ...container,
      resources: {
        ...old,
        ...(requests === undefined ? {} : { requests: { ...old?.requests, ...requests } }),
        ...(limits === undefined ? {} : { limits: { ...old?.limits, ...limits } }),
      },
    };
  };
  return {
    ...spec,
    containers: spec.containers.map(change),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(change) }),
  };
}
