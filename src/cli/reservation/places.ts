/** The order in which Orders and Tickets are shown. Pure. */
interface Placed {
  readonly namespace: string;
  readonly order?: string;
  readonly node?: string;
  readonly name: string;
}

/** `node-10` stands behind `node-9`. */
const { compare } = new Intl.Collator('en', { numeric: true });

/** By namespace, Order, node and name. */
export const inPlace = (a: Placed, b: Placed): number =>
  compare(a.namespace, b.namespace) ||
  compare(a.order ?? '', b.order ?? '') ||
  compare(a.node ?? '', b.node ?? '') ||
  compare(a.name, b.name);
