/** Questions about a container that several lints ask. */
import type { Declared } from '../../containers-of.ts';

/** False for init containers that end before the pod starts. */
export const runsForLong = ({ role, container }: Declared): boolean =>
  role !== 'init' || container.restartPolicy === 'Always';

/** Capabilities that the container adds; none where it is privileged and has all of them anyway. */
export function addedCapabilities({ container }: Declared): readonly string[] {
  const { privileged, capabilities } = container.securityContext ?? {};
  return privileged === true ? [] : (capabilities?.add ?? []);
}
