/** The same plugin, read from disk with the first KubernetesDaemonSet: most clusters on a laptop never see one. */
import type { AdmissionPlugin } from '../../../machinery/ports/admission.ts';
import { COMPONENT_ADMISSION, handlesComponent } from './scope.ts';

export function createComponentAdmissionOnDemand(): AdmissionPlugin {
  let plugin: Promise<AdmissionPlugin> | undefined;
  const load = async (): Promise<AdmissionPlugin> =>
    (await import('./component-admission.ts')).createComponentAdmission();
  return {
    name: COMPONENT_ADMISSION,
    handles: handlesComponent,
    async validate(request) {
      const { validate } = await (plugin ??= load());
      return validate === undefined ? { allowed: true } : validate(request);
    },
  };
}
