/** Added capabilities that amount to root on the node. */
import { defineLint } from '../contract/lint.ts';
import { addedCapabilities } from '../parts/containers.ts';

const DANGEROUS = new Set(['ALL', 'SYS_ADMIN', 'SYS_MODULE', 'SYS_RAWIO', 'SYS_BOOT', 'DAC_READ_SEARCH', 'MAC_ADMIN']);

export const dangerousCapability = defineLint({
  name: 'dangerous-capability',
  level: 'warning',
  why: 'The capability is nearly as good as root on the node',
  *check({ containers }) {
    for (const declared of containers)
      for (const [index, name] of addedCapabilities(declared).entries()) {
        if (!DANGEROUS.has(name.toUpperCase().replace(/^CAP_/, ''))) continue;
        const path = [...declared.path, 'securityContext', 'capabilities', 'add', index];
        yield { path, message: `${name} is nearly as good as root` };
      }
  },
});
