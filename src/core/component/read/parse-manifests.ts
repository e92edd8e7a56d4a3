/** YAML and JSON texts into documents of manifests. */
import { readYaml, type YamlProblem } from '../../kube/yaml/read-yaml.ts';
import { scalarNode } from '../../kube/yaml/source-node.ts';
import type { ComponentErrorCode } from '../errors.ts';
import type { Problem } from '../problem.ts';
import { placeOf, SourceDocument } from '../source.ts';

export interface ParsedText {
  readonly documents: readonly SourceDocument[];
  readonly problems: readonly Problem[];
}

const CODES: { readonly [kind in YamlProblem['kind']]: ComponentErrorCode } = {
  syntax: 'EN_COMPONENT_YAML',
  'too-large': 'EN_COMPONENT_TOO_LARGE',
  'duplicate-key': 'EN_COMPONENT_DUPLICATE_KEY',
};

/** Reads every document of a text. Documents with a problem are left out; the others are there. */
export function parseManifests(text: string, file: string): ParsedText {
  const { documents, problems } = readYaml(text);
  const whole = new SourceDocument({ file, text, root: scalarNode(null) });
  return {
    documents: documents.map((root) => new SourceDocument({ file, text, root })),
    problems: problems.map(({ kind, message, at }) => ({
      code: CODES[kind],
      path: '',
      message,
      place: placeOf(whole, at),
    })),
  };
}
