/** Amounts of memory in thousandths of a byte. */
import { defineLint } from '../contract/lint.ts';

const COUNTED_IN_BYTES = /^(?:memory|ephemeral-storage|hugepages-.*)$/;

export const fractionOfAByte = defineLint({
  name: 'fraction-of-a-byte',
  level: 'warning',
  why: 'Memory in thousandths of a byte (`m`) is a mistake for `Mi`; Kubernetes rounds it up to a byte or two',
  *check({ containers }) {
    for (const { container, path } of containers) {
      const { limits = {}, requests = {} } = container.resources ?? {};
      for (const [list, amounts] of [['limits', limits] as const, ['requests', requests] as const])
        for (const [name, amount] of Object.entries(amounts)) {
          if (!COUNTED_IN_BYTES.test(name) || !amount.endsWith('m')) continue;
          const message = `${amount} is less than it seems`;
          yield { path: [...path, 'resources', list, name], message, suggestion: 'Mi, or no unit' };
        }
    }
  },
});
