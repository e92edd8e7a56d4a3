/**
 * Sources of secret values. The room itself reads nothing: its caller passes a source, and so decides what a manifest
 * may reach (a controller, for one, passes none).
 */
import type { SecretText } from '../../api/component/secret-text.ts';
import type { Component, ComponentContainer, ComponentSecret } from '../../api/component/types.ts';
import { containersOf } from '../containers-of.ts';
import type { ComponentErrorCode } from '../errors.ts';
import type { Problem } from '../problem.ts';
import { problemAt, type ReadComponent } from '../read/read-component.ts';
import type { PathStep } from '../trace.ts';

export interface SecretSource {
  /** The variable, or undefined if there is none. */
  env(name: string, manifest: string): string | undefined | Promise<string | undefined>;
  /**
   * The text of the file, or undefined if there is none. The path is as written, relative to the manifest. The message
   * of a thrown error is reported, so it must not quote the text. Both throw `SecretRefused` for sources the manifest
   * may not read.
   */
  file(path: string, manifest: string): string | undefined | Promise<string | undefined>;
}

/** The caller does not let the manifest read the source that it names. */
export class SecretRefused extends Error {
  override readonly name = 'SecretRefused';
  readonly fix: string;

  constructor(why: string, fix: string) {
    super(why);
    this.fix = fix;
  }
}

export interface ResolvedSecrets {
  readonly component: Component;
  readonly problems: readonly Problem[];
}

/**
 * Looks up the values of secrets. A problem names the source without a value. Files lose the line end that editors add.
 */
export async function resolveSecrets(read: ReadComponent, source: SecretSource): Promise<ResolvedSecrets> {
  const problems: Problem[] = [];
  const resolve = async (secret: SecretText, path: readonly PathStep[]): Promise<SecretText> => {
    if (secret.isResolved) return secret;
    const { file } = read.document;
    const found = await foundAt(secret, file, () => lookUp(secret, source, file));
    if (typeof found === 'string') return secret.resolvedTo(found);
    problems.push(problemAt(read, path, { ...found, expected: 'a value there' }));
    return secret;
  };
  const component = await mapSecrets(read.component, resolve);
  return { component, problems };
}

/** The text, or why there is none, and what would help. */
export async function foundAt(
  secret: SecretText,
  manifest: string,
  lookUp: () => string | undefined | Promise<string | undefined>,
): Promise<string | NotFound> {
  try {
    const found = await lookUp();
    if (found !== undefined) return found;
    const suggestion = remedyFor(secret, manifest);
    return { code: 'EN_COMPONENT_SECRET', message: `nothing was found at ${secret.describe()}`, suggestion };
  } catch (error) {
    if (error instanceof SecretRefused) {
      const message = `${secret.describe()} is not read: ${error.message}`;
      return { code: 'EN_COMPONENT_SECRET_REFUSED', message, suggestion: error.fix };
    }
    return {
      code: 'EN_COMPONENT_SECRET',
      message: `${secret.describe()} cannot be read: ${(error as Error).message}`,
    };
  }
}

interface NotFound {
  readonly code: ComponentErrorCode;
  readonly message: string;
  readonly suggestion?: string;
}

function remedyFor({ origin }: SecretText, manifest: string): string {
  if (origin.from !== 'file') return `export ${origin.from === 'env' ? origin.name : 'it'} before you apply it`;
  const folder = /^(.*)[\\/]/.exec(manifest)?.[1] ?? '';
  const where = folder === '' ? 'the current folder' : `the folder of the manifest, ${folder}`;
  return `create the file ${origin.path}${origin.path.startsWith('/') ? '' : `, relative to ${where}`}`;
}

/** Variables and files that a component takes secrets from, in order and each once: `env:NAME`, `file:path`. */
export function secretPlaces(component: Component): readonly string[] {
  const { spec, metadata } = component;
  const texts = containersOf(component).flatMap(({ container }) =>
    (container.env?.secrets ?? []).flatMap(({ value }) => value ?? []),
  );
  const logins = (spec.pod?.imageRegistries ?? []).map(({ password }) => password);
  const mention = dockerConfigMention(metadata);
  const places = [...texts, ...logins].filter(({ isResolved }) => !isResolved).map((text) => text.describe());
  return [...new Set([...places, ...(mention === undefined ? [] : [`file:${mention.path}`])])];
}

async function lookUp({ origin }: SecretText, source: SecretSource, manifest: string): Promise<string | undefined> {
  if (origin.from === 'env') return await source.env(origin.name, manifest);
  if (origin.from === 'file') return (await source.file(origin.path, manifest))?.replace(/\r?\n$/, '');
  return undefined;
}

type Change = (secret: SecretText, path: readonly PathStep[]) => Promise<SecretText>;

/** Every masked value of a component replaced; the component itself where there is none. */
async function mapSecrets(component: Component, change: Change): Promise<Component> {
  if (!hasSecrets(component)) return component;
  const { spec } = component;
  const container = async (each: ComponentContainer, path: readonly PathStep[]): Promise<ComponentContainer> => {
    if (each.env?.secrets === undefined) return each;
    const secrets: ComponentSecret[] = [];
    for (const [index, secret] of each.env.secrets.entries()) {
      const at = [...path, 'env', 'secrets', index, 'value'];
      secrets.push(secret.value === undefined ? secret : { ...secret, value: await change(secret.value, at) });
    }
    return { ...each, env: { ...each.env, secrets } };
  };
  const changed = new Map<ComponentContainer, ComponentContainer>();
  for (const { container: each, path } of containersOf(component)) changed.set(each, await container(each, path));
  const of = (each: ComponentContainer): ComponentContainer => changed.get(each) ?? each;
  const { pod } = spec;
  const registries = [];
  for (const [index, registry] of (pod?.imageRegistries ?? []).entries()) {
    const at = ['spec', 'pod', 'imageRegistries', index, 'password'];
    registries.push({ ...registry, password: await change(registry.password, at) });
  }
  return {
    ...component,
    spec: {
      ...spec,
      container: {
        app: of(spec.container.app),
        ...(spec.container.sidecars === undefined ? {} : { sidecars: spec.container.sidecars.map(of) }),
      },
      ...(pod === undefined
        ? {}
        : {
            pod: {
              ...pod,
              ...(pod.initContainers === undefined ? {} : { initContainers: pod.initContainers.map(of) }),
              ...(pod.imageRegistries === undefined ? {} : { imageRegistries: registries }),
            },
          }),
    },
  };
}

const hasSecrets = (component: Component): boolean =>
  component.spec.pod?.imageRegistries !== undefined ||
  containersOf(component).some(({ container }) => container.env?.secrets !== undefined);

/**
 * For a custom resource: values in plain text would stand in the API server for everyone who may read components. `env:`
 * and `file:` have no meaning there either: the controller's environment is not the author's.
 */
export function literalSecretProblems(read: ReadComponent): readonly Problem[] {
  const problems: Problem[] = [];
  const refuse = (path: readonly PathStep[], instead: string): void =>
    void problems.push(
      problemAt(read, path, {
        code: 'EN_COMPONENT_LITERAL_SECRET',
        message: 'a custom resource may not hold the value of a secret',
        suggestion: instead,
      }),
    );
  for (const { container, path } of containersOf(read.component)) {
    for (const [index, { value }] of (container.env?.secrets ?? []).entries()) {
      if (value === undefined) continue;
      refuse([...path, 'env', 'secrets', index, 'value'], 'make a Secret and name it with secretRef: {name, key}');
    }
  }
  for (const [index] of (read.component.spec.pod?.imageRegistries ?? []).entries()) {
    refuse(['spec', 'pod', 'imageRegistries', index, 'password'], 'make a Secret and name it in pod.imagePullSecrets');
  }
  return problems;
}

const DOCKER_CONFIG_FILE = 'docker-config-json-file';
const DOMAINS = [
  'kubernetes.planton.dev',
  'kubernetes.planton.io',
  'kubernetes.openmcf.org',
  'kubernetes.project-planton.org',
];

type Texts = { readonly [key: string]: string };

export interface DockerConfigMention {
  readonly in: 'annotations' | 'labels';
  readonly key: string;
  readonly path: string;
}

/** Where a label or annotation names a Docker configuration, under any of the domains that were in use. */
export function dockerConfigMention(metadata: {
  readonly annotations?: Texts;
  readonly labels?: Texts;
}): DockerConfigMention | undefined {
  for (const domain of DOMAINS) {
    const key = `${domain}/${DOCKER_CONFIG_FILE}`;
    for (const place of ['annotations', 'labels'] as const) {
      const path = metadata[place]?.[key];
      if (path !== undefined) return { in: place, key, path };
    }
  }
  return undefined;
}
