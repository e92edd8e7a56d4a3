/**
 * The other shapes in which a thing may be written, turned into the one that the schema declares. Each works on the
 * document as it was written, so that everything keeps its place.
 */
import type { ObjectForm, ObjectSchema } from '../../api/component/language.ts';
import {
  type Entry,
  type ListNode,
  listNode,
  mapNode,
  type MapNode,
  type ScalarNode,
  scalarNode,
  type SourceNode,
} from '../../kube/yaml/source-node.ts';

const entry = (key: string, value: SourceNode, keyAt: number): Entry => ({ key, keyAt, value });
const implied = (key: string, value: SourceNode): Entry => ({ key, keyAt: value.at, value, isImplied: true });

/** By either spelling. */
const find = ({ entries }: MapNode, camel: string, snake: string): Entry | undefined =>
  entries.find(({ key }) => key === camel || key === snake);

/** The node in the shape of the schema; itself where it has that already or has no shape that is known. */
export function normalForm(schema: ObjectSchema, node: SourceNode): SourceNode {
  return schema.form === undefined ? node : FORMS[schema.form](node);
}

const FORMS: { readonly [form in ObjectForm]: (node: SourceNode) => SourceNode } = {
  value: (node) => (node.kind === 'scalar' && node.value !== null ? mapNode([implied('value', node)], node.at) : node),
  image: (node) => (isText(node) ? imageParts(node) : node),
  env: environment,
  'flat-host-path': hostPath,
  port: portOrName,
};

const isText = (node: SourceNode): node is ScalarNode & { readonly value: string } =>
  node.kind === 'scalar' && typeof node.value === 'string';

/** `registry:5000/repo:tag@sha256:…` */
function imageParts(node: ScalarNode & { readonly value: string }): SourceNode {
  const [name, digest] = splitOnce(node.value, node.value.indexOf('@'));
  const colon = name.lastIndexOf(':');
  const [repo, tag] = splitOnce(name, colon > name.lastIndexOf('/') ? colon : -1);
  const part = (key: string, value: string | undefined): readonly Entry[] =>
    value === undefined ? [] : [implied(key, scalarNode(value, node.at))];
  return mapNode([...part('repo', repo), ...part('tag', tag), ...part('digest', digest)], node.at);
}

const splitOnce = (text: string, at: number): readonly [string, string?] =>
  at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];

const ENV_FIELDS = new Set(['variables', 'secrets', 'envFrom', 'env_from']);

function environment(node: SourceNode): SourceNode {
  if (node.kind === 'list') return mapNode([implied('variables', node)], node.at);
  if (node.kind !== 'map' || node.entries.length === 0) return node;
  // A map of texts is one of variables, unless it names the parts of an environment.
  const isOfNames = node.entries.every(({ value }) => value.kind === 'scalar');
  if (!isOfNames || node.entries.some(({ key }) => ENV_FIELDS.has(key))) return node;
  return mapNode([implied('variables', node)], node.at);
}

/** Keys become names. A map has no order of its own, whoever carried it, so names are sorted. */
export function namedMap(node: MapNode): ListNode {
  const named = node.entries.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return listNode(
    named.map(({ key, keyAt, value }) => {
      const name = implied('name', scalarNode(key, keyAt));
      if (value.kind === 'map') return mapNode([name, ...value.entries], keyAt);
      return mapNode([name, implied('value', value)], keyAt);
    }),
    node.at,
  );
}

function hostPath(node: SourceNode): SourceNode {
  if (node.kind !== 'map') return node;
  const path = find(node, 'hostPath', 'host_path');
  const type = find(node, 'hostPathType', 'host_path_type');
  const isFlat = path !== undefined && isText(path.value);
  // A type beside the nested form is no known field, and is told so.
  if (!isFlat) return node;
  const rest = node.entries.filter((each) => each !== path && each !== type);
  const parts = [implied('path', path.value), ...(type === undefined ? [] : [entry('type', type.value, type.keyAt)])];
  return mapNode([...rest, entry(path.key, mapNode(parts, path.value.at), path.keyAt)], node.at);
}

function portOrName(node: SourceNode): SourceNode {
  if (node.kind !== 'map') return node;
  const port = find(node, 'port', 'port');
  if (port === undefined || port.value.kind !== 'scalar') return node;
  const isNumber = typeof port.value.value === 'number' || /^[0-9]+$/.test(String(port.value.value));
  const rest = node.entries.filter((each) => each !== port);
  return mapNode([...rest, entry(isNumber ? 'portNumber' : 'portName', port.value, port.keyAt)], node.at);
}

/** One text where a map of texts is wanted: an entry of the map's own name. */
export const singleFile = (node: SourceNode, name: string): SourceNode =>
  node.kind === 'scalar' ? mapNode([implied(name, node)], node.at) : node;
