/** Manifests for tests: a small good one, changed by overrides or given as text. */
import { stringify } from 'yaml';
import type { DaemonSet } from '../../api/types/apps-v1.ts';
import type { Container, PodSpec } from '../../api/types/core-v1.ts';
import type { Json, JsonObject } from '../../kube/json.ts';
import { loadManifests } from '../load/load.ts';
import type { Problem } from '../problem.ts';
import type { ReadComponent } from '../read/read-component.ts';
import type { Mode } from '../render/mode.ts';
import { renderComponent, type Rendered, type RenderOptions } from '../render/render.ts';
import { checkComponent } from '../validate/check-component.ts';

const APP = { image: { repo: 'busybox', tag: '1.36' } };

export interface Parts {
  readonly app?: JsonObject;
  readonly spec?: JsonObject;
  readonly pod?: JsonObject;
  readonly metadata?: JsonObject;
  readonly sidecars?: readonly Json[];
}

/** A good manifest with these parts in it. */
export const manifestOf = ({ app = {}, spec = {}, pod, metadata = {}, sidecars }: Parts = {}): JsonObject => ({
  apiVersion: 'kubernetes.planton.dev/v1',
  kind: 'KubernetesDaemonSet',
  metadata: { name: 'agent', ...metadata },
  spec: {
    namespace: 'agents',
    container: { app: { ...APP, ...app }, ...(sidecars === undefined ? {} : { sidecars }) },
    ...(pod === undefined ? {} : { pod }),
    ...spec,
  },
});

export const textOf = (parts: Parts): string => stringify(manifestOf(parts));

/** The one component of a text. */
export function readText(text: string): ReadComponent {
  const { components, problems } = loadManifests([{ file: 'agent.yaml', text }]);
  const [read] = components;
  if (read === undefined) throw new Error(`no component: ${JSON.stringify(problems)}`);
  return read;
}

export const readParts = (parts: Parts): ReadComponent => readText(textOf(parts));

export const problemsOf = (parts: Parts, options: RenderOptions = {}): readonly Problem[] =>
  checkComponent(readParts(parts), options).problems;

export const problemsOfText = (text: string): readonly Problem[] => {
  const loaded = loadManifests([{ file: 'agent.yaml', text }]);
  return [...loaded.problems, ...loaded.components.flatMap((read) => checkComponent(read).problems)];
};

/** `code path`, one a problem. */
export const brief = (problems: readonly Problem[]): readonly string[] =>
  problems.map(({ code, path }) => `${code} ${path}`);

/** Rendered without any problem. */
export function rendered(parts: Parts, mode: Mode = 'safe', options: RenderOptions = {}): Rendered {
  return renderedText(textOf(parts), mode, options);
}

export function renderedText(text: string, mode: Mode = 'safe', options: RenderOptions = {}): Rendered {
  const read = readText(text);
  const checked = checkComponent(read, { ...options, mode });
  if (checked.problems.length > 0) throw new Error(JSON.stringify(checked.problems, undefined, 2));
  return renderComponent(read.component, { ...options, mode });
}

export const podOf = ({ daemonSet }: { readonly daemonSet: DaemonSet }): PodSpec =>
  daemonSet.spec.template.spec ?? { containers: [] };

export function appOf(result: Rendered): Container {
  const [app] = podOf(result).containers;
  if (app === undefined) throw new Error('no container');
  return app;
}

export const kindsOf = ({ objects }: Rendered): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
