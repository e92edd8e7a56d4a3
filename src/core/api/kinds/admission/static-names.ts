/** Name suffix reserved for configurations that a server reads from files when it starts. */
const SUFFIX = '.static.k8s.io';

export const staticNameWarnings = ({
  metadata,
}: {
  readonly metadata: { readonly name?: string };
}): readonly string[] =>
  metadata.name?.endsWith(SUFFIX) === true
    ? [
        `metadata.name: names ending with "${SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`,
      ]
    : [];
