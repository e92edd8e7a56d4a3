/**
 * A text that nobody may see by accident. However it is printed, logged, encoded or compared it shows a mask; the text
 * itself comes out only of `reveal`, which is easy to find in a review.
 */
export const MASK = '<masked>';

/** Values in manifests say where the text comes from: `env:NAME`, `file:path`, `literal:text`, or are the text itself. */
export type SecretOrigin =
  | { readonly from: 'literal' }
  | { readonly from: 'env'; readonly name: string }
  | { readonly from: 'file'; readonly path: string };

export class SecretText {
  readonly #text: string;
  readonly origin: SecretOrigin;
  /** The text is the value, not the name of a place where the value can be found. */
  readonly isResolved: boolean;

  constructor(text: string, origin: SecretOrigin, isResolved: boolean) {
    this.#text = text;
    this.origin = origin;
    this.isResolved = isResolved;
  }

  /** A value as it stands in a manifest. */
  static written(text: string): SecretText {
    if (text.startsWith('env:')) return new SecretText(text, { from: 'env', name: text.slice(4) }, false);
    if (text.startsWith('file:')) return new SecretText(text, { from: 'file', path: text.slice(5) }, false);
    return SecretText.literal(text.startsWith('literal:') ? text.slice(8) : text);
  }

  /** The text itself, whatever it begins with. */
  static literal(text: string): SecretText {
    return new SecretText(text, { from: 'literal' }, true);
  }

  /** The same secret, its text now known. */
  resolvedTo(text: string): SecretText {
    return new SecretText(text, this.origin, true);
  }

  /** The text. Undefined while only its place is known. */
  reveal(): string | undefined {
    return this.isResolved ? this.#text : undefined;
  }

  /** A description that may be shown: the place the text comes from, never the text. */
  describe(): string {
    switch (this.origin.from) {
      case 'env':
        return `env:${this.origin.name}`;
      case 'file':
        return `file:${this.origin.path}`;
      case 'literal':
        return MASK;
    }
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.toPrimitive](): string {
    return MASK;
  }

  get [Symbol.toStringTag](): string {
    return 'SecretText';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK;
  }
}
