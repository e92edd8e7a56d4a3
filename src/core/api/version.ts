/** The versions of everynode and of the Kubernetes that it serves. The one place that states them. */
const KUBERNETES = { major: '1', minor: '36', patch: '4' };
const PRODUCT = '0.1.0';
const gitVersion = `v${KUBERNETES.major}.${KUBERNETES.minor}.${KUBERNETES.patch}+everynode.${PRODUCT}`;

export const VERSION = {
  product: PRODUCT,
  gitVersion,
  /** The response of `/version`. */
  document: {
    major: KUBERNETES.major,
    minor: KUBERNETES.minor,
    emulationMajor: KUBERNETES.major,
    emulationMinor: KUBERNETES.minor,
    minCompatibilityMajor: KUBERNETES.major,
    minCompatibilityMinor: String(Number(KUBERNETES.minor) - 1),
    gitVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'v8',
    platform: 'linux/amd64',
  },
} as const;
