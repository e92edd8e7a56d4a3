/** PodTemplates as objects of their own. */
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import type { PodTemplateSpec } from '../../types/core-v1.ts';
import { defaultTemplate } from '../pod/defaults/default-spec.ts';
import { dropDisabledInTemplate } from '../pod/disabled-fields.ts';
import { validateMeta, validateMetaUpdate } from '../../rules/meta-rules.ts';
import { CREATE_TEMPLATE, optionsFromOldTemplate } from '../pod/options.ts';
import { templateWarnings } from '../pod/warnings.ts';
import { validateTemplate } from './template.ts';
import { createdOrChanged, noNameWarnings } from './told-once.ts';

export interface PodTemplateObject extends KubeObject {
  readonly template?: PodTemplateSpec;
}

export const podTemplateStrategy: KindStrategy<PodTemplateObject> = {
  defaults: (object) => withMember(object, 'template', defaultTemplate(object.template)),
  prepareForCreate: (object) =>
    withMember(object, 'template', dropDisabledInTemplate(object.template ?? {}, undefined)),
  prepareForUpdate: (object, old) =>
    withMember(object, 'template', dropDisabledInTemplate(object.template ?? {}, old.template)),
  validate(object) {
    const found = validateMeta(object.metadata);
    validateTemplate(found, object.template, CREATE_TEMPLATE, 'template');
    return found;
  },
  validateUpdate(object, old) {
    const found = validateMetaUpdate(object.metadata, old.metadata);
    validateTemplate(found, object.template, optionsFromOldTemplate(old.template), 'template');
    return found;
  },
  warnings: (object, old) =>
    createdOrChanged(object, old, noNameWarnings, () => templateWarnings(object.template, 'template')),
  generationChanged: (object, old) => !deepEqual(object.template, old.template),
  allowUnconditionalUpdate: true,
};
