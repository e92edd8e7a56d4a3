/** Name and resources of the admission plugin: all that is needed before the first KubernetesDaemonSet is written. */
import { COMPONENT_PLURAL, GENERATIONS } from '../../../core/api/component/generations.ts';
import type { AdmissionPlugin } from '../../../machinery/ports/admission.ts';

/** The plugin's name, and with it the path of its webhook. */
export const COMPONENT_ADMISSION = 'component';

const GROUPS: ReadonlySet<string> = new Set(GENERATIONS.map(({ group }) => group));

export const handlesComponent: AdmissionPlugin['handles'] = ({ operation, resource, subresource }) =>
  subresource === '' &&
  resource.resource === COMPONENT_PLURAL &&
  GROUPS.has(resource.group) &&
  (operation === 'CREATE' || operation === 'UPDATE');
