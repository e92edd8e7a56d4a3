/** Just enough of label and field selectors for the fake client; the real ones live in core/kube. */
import type { KubeObject } from '../../core/kube/objects.ts';

type Test = (object: KubeObject) => boolean;

/** `a=b,c!=d,e in (f,g),h notin (i),j,!k` */
export function labelTest(selector: string | undefined): Test {
  if (selector === undefined || selector === '') return () => true;
  const terms = (selector.match(/(?:[^,(]|\([^)]*\))+/g) ?? []).map(labelTerm);
  return (object) => terms.every((term) => term(object.metadata.labels ?? {}));
}

function labelTerm(text: string): (labels: { readonly [key: string]: string }) => boolean {
  const set = /^\s*(\S+)\s+(in|notin)\s+\(([^)]*)\)\s*$/.exec(text);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    return (labels) => (labels[key] !== undefined && values.has(labels[key])) === (operator === 'in');
  }
  const equality = /^\s*([^=!\s]+)\s*(==|=|!=)\s*(\S*)\s*$/.exec(text);
  if (equality) {
    const [, key = '', operator, value] = equality;
    return (labels) => (labels[key] === value) === (operator !== '!=');
  }
  const name = text.trim();
  return name.startsWith('!')
    ? (labels) => labels[name.slice(1).trim()] === undefined
    : (labels) => labels[name] !== undefined;
}

/** `spec.nodeName=x,metadata.name!=y`, on any path. */
export function fieldTest(selector: string | undefined): Test {
  if (selector === undefined || selector === '') return () => true;
  const terms = selector.split(',').map((text) => {
    const [, path = '', operator, value = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(text) ?? [];
    const steps = path.split('.');
    return (object: KubeObject): boolean => {
      let at: unknown = object;
      for (const step of steps) at = (at as { readonly [key: string]: unknown } | undefined)?.[step];
      return ((typeof at === 'string' ? at : '') === value) === (operator !== '!=');
    };
  });
  return (object) => terms.every((term) => term(object));
}
