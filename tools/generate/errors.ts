/** Writes docs/reference/errors.md from the code tables of the rooms: one place to look a code up. */
import { ASSEMBLY_ERROR_CODES } from '../../src/assembly/common/errors.ts';
import { STORE_ERROR_CODES } from '../../src/apiserver/store/errors.ts';
import { CUSTOM_ERROR_CODES } from '../../src/apiserver/custom/errors.ts';
import { API_ERROR_CODES } from '../../src/core/api/errors.ts';
import { COMPONENT_APPLY_ERROR_CODES } from '../../src/control/component/apply/errors.ts';
import { COMPONENT_ERROR_CODES } from '../../src/core/component/errors.ts';
import { DAEMONSET_ERROR_CODES } from '../../src/control/daemonset/errors.ts';
import { DAEMONS_ERROR_CODES } from '../../src/core/daemons/errors.ts';
import { KUBE_ERROR_CODES } from '../../src/core/kube/errors.ts';
import { SIMULATION_ERROR_CODES } from '../../src/foresight/simulation/errors.ts';
import { MACHINERY_ERROR_CODES } from '../../src/machinery/errors.ts';

const ROOMS: readonly (readonly [room: string, codes: { readonly [code: string]: string }])[] = [
  ['core/kube', KUBE_ERROR_CODES],
  ['core/api', API_ERROR_CODES],
  ['machinery', MACHINERY_ERROR_CODES],
  ['core/daemons', DAEMONS_ERROR_CODES],
  ['apiserver/store', STORE_ERROR_CODES],
  ['apiserver/custom', CUSTOM_ERROR_CODES],
  ['control/daemonset', DAEMONSET_ERROR_CODES],
  ['core/component', COMPONENT_ERROR_CODES],
  ['control/component/apply', COMPONENT_APPLY_ERROR_CODES],
  ['assembly', ASSEMBLY_ERROR_CODES],
  ['foresight/simulation', SIMULATION_ERROR_CODES],
];

export const errorCodes = (): ReadonlySet<string> => new Set(ROOMS.flatMap(([, codes]) => Object.keys(codes)));

export function generateErrors(): ReadonlyMap<string, string> {
  const sections = ROOMS.map(
    ([room, codes]) =>
      `## ${room}\n\n| code | meaning |\n|---|---|\n${Object.entries(codes)
        .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
        .join('\n')}\n`,
  );
  const head = `# Error codes

Errors of everynode itself carry a stable code. What the API answers carries a Kubernetes \`Status\` (code, reason, causes)
instead, with the codes below in its causes where the fault is ours. Written by \`npm run generate\`; do not edit.
`;
  return new Map([['docs/reference/errors.md', `${head}\n${sections.join('\n')}`]]);
}
