/** What is filled in where a manifest says nothing: said once, for those who render it and for those who document it. */
export const DEFAULTS = {
  /** For a container about whose resources nothing at all is said; `resources: {}` says something. */
  resources: {
    limits: { cpu: '1000m', memory: '1Gi' },
    requests: { cpu: '50m', memory: '100Mi' },
  },
  /** The daemon's own container; the existing tool calls it otherwise. */
  containerName: 'app',
  compatibleContainerName: 'daemonset-container',
  protocol: 'TCP',
  fieldVersion: 'v1',
  tokenFile: 'token',
} as const;
