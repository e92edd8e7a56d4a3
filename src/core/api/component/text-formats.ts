/** Formats of texts. Most rules are Kubernetes' own; a few are the component's. */
import { parseIP } from '../../kube/ip.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../kube/names.ts';
import { cIdentifierProblems, configMapKeyProblems, portNameProblems } from '../../kube/value-formats.ts';

export interface FormatRule {
  /** In words, for the reference and for errors. */
  readonly expected: string;
  /** For the custom resource definition, where a pattern expresses the rule. */
  readonly pattern?: string;
  readonly maxLength?: number;
  isFine(value: string): boolean;
}

const none =
  (problems: (value: string) => readonly string[]) =>
  (value: string): boolean =>
    problems(value).length === 0;

const DIGEST = /^sha256:[a-f0-9]{64}$/;
const IMAGE_TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const IMAGE_REPO = /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/;
/** The grammar of registries and container runtimes: only the name of a registry may have capitals, and a port. */
const IMAGE_NAME =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]+)?\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const MAX_IMAGE_NAME = 255;

const TEXT_FORMATS = {
  'dns-label': {
    expected: 'a DNS label: lower case letters, digits and dashes, at most 63',
    pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
    maxLength: 63,
    isFine: none(dns1123LabelProblems),
  },
  'dns-subdomain': {
    expected: 'a DNS name: lower case letters, digits, dashes and dots',
    pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    maxLength: 253,
    isFine: none(dns1123SubdomainProblems),
  },
  // Names end up in labels, which are shorter than names may be.
  'component-name': {
    expected: 'a DNS name of at most 63 lower case letters, digits, dashes and dots',
    pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    maxLength: 63,
    isFine: (value) => value.length <= 63 && dns1123SubdomainProblems(value).length === 0,
  },
  'port-name': {
    expected: 'a port name: at most 15 lower case letters, digits and single dashes, with a letter among them',
    pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
    maxLength: 15,
    isFine: none(portNameProblems),
  },
  'env-name': {
    expected: 'a name of letters, digits and underscores that does not begin with a digit',
    pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
    isFine: none(cIdentifierProblems),
  },
  'config-key': {
    expected: 'a file name of letters, digits, dashes, dots and underscores',
    pattern: '^[-._a-zA-Z0-9]+$',
    maxLength: 253,
    isFine: none(configMapKeyProblems),
  },
  'label-key': { expected: 'a label key such as example.com/role', isFine: none(qualifiedNameProblems) },
  'label-value': {
    expected: 'a label value of at most 63 characters',
    maxLength: 63,
    isFine: none(labelValueProblems),
  },
  'absolute-path': { expected: 'a path that begins with /', pattern: '^/', isFine: (value) => value.startsWith('/') },
  digest: {
    expected: '"sha256:" and 64 hexadecimal digits',
    pattern: DIGEST.source,
    isFine: (value) => DIGEST.test(value),
  },
  'image-tag': {
    expected: 'an image tag: letters, digits, dots, dashes and underscores, at most 128',
    pattern: IMAGE_TAG.source,
    isFine: (value) => IMAGE_TAG.test(value),
  },
  'image-repo': {
    expected: 'an image repository in lower case, without https://, tag or spaces, such as ghcr.io/acme/agent',
    pattern: IMAGE_REPO.source,
    // A colon belongs to the port of a registry, never to the last part: that would be a tag.
    isFine: (value) => value.length <= MAX_IMAGE_NAME && IMAGE_NAME.test(value),
  },
  ip: { expected: 'an IP address', isFine: (value) => parseIP(value) !== undefined },
} as const satisfies { readonly [name: string]: FormatRule };

export type TextFormat = keyof typeof TEXT_FORMATS;

export const formatRule = (format: TextFormat): FormatRule => TEXT_FORMATS[format];
