/** Where the kinds that make pods keep their template. */
import type { PodTemplateSpec } from '../types/core-v1.ts';
import type { KubeObject } from '../../kube/objects.ts';

interface Templated {
  readonly template?: PodTemplateSpec;
  readonly spec?: {
    readonly template?: PodTemplateSpec;
    readonly jobTemplate?: { readonly spec?: { readonly template?: PodTemplateSpec } };
  };
}

export function templateOf(kind: string, object: KubeObject | undefined): PodTemplateSpec | undefined {
  const templated = object as Templated | undefined;
  if (kind === 'PodTemplate') return templated?.template;
  return kind === 'CronJob' ? templated?.spec?.jobTemplate?.spec?.template : templated?.spec?.template;
}
