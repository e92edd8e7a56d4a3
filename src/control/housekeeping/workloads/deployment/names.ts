/** Annotations, labels and reasons of Deployments, as kubectl and other tools know them. */
export const HASH_LABEL = 'pod-template-hash';
export const REVISION = 'deployment.kubernetes.io/revision';
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

export const REASONS = {
  updated: 'ReplicaSetUpdated',
  createFailed: 'ReplicaSetCreateError',
  created: 'NewReplicaSetCreated',
  found: 'FoundNewReplicaSet',
  available: 'NewReplicaSetAvailable',
  timedOut: 'ProgressDeadlineExceeded',
  paused: 'DeploymentPaused',
  resumed: 'DeploymentResumed',
  enough: 'MinimumReplicasAvailable',
  tooFew: 'MinimumReplicasUnavailable',
} as const;
