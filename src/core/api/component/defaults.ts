/** Defaults of a manifest, in one place for rendering and for the reference. */
export const DEFAULTS = {
  /** For a container without `resources`; `resources: {}` is an explicit choice and gets no defaults. */
  resources: {
    limits: { cpu: '1000m', memory: '1Gi' },
    requests: { cpu: '50m', memory: '100Mi' },
  },
  /** Name of the daemon's own container; the existing tool uses the other name. */
  containerName: 'app',
  compatibleContainerName: 'daemonset-container',
  protocol: 'TCP',
  fieldVersion: 'v1',
  tokenFile: 'token',
} as const;
