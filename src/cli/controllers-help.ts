/**
 * Help of `--controllers`, apart from the catalogue so that printing help loads no controller. Written by `npm run generate`; do
 * not edit.
 */
export const UP_CONTROLLERS_HELP = `
Controllers:
  component                                       keeps KubernetesDaemonSets: everything a node daemon needs, from one custom resource
  daemonset                                       runs DaemonSets
  garbage-collector-controller                    deletes objects whose owners are gone
  namespace-controller                            deletes the content of namespaces that are deleted
  serviceaccount-controller                       gives every namespace its default service account
  node-lifecycle-controller                       marks and taints nodes that have fallen silent, and taints nodes by their conditions
  pod-garbage-collector-controller                deletes pods of missing nodes and the oldest of many ended pods
  taint-eviction-controller                       evicts pods that do not tolerate a NoExecute taint of their node
  disruption-controller                           keeps the status of PodDisruptionBudgets
  resourcequota-controller                        keeps the status of ResourceQuotas
  validatingadmissionpolicy-status-controller     checks the types of expressions in ValidatingAdmissionPolicies
  persistentvolume-binder-controller              binds claims to volumes and provisions volumes
  persistentvolumeclaim-protection-controller     keeps PersistentVolumeClaims from being deleted while in use
  persistentvolume-protection-controller          keeps PersistentVolumes from being deleted while in use
  volumeattributesclass-protection-controller     keeps VolumeAttributesClasses from being deleted while in use
  clusterrole-aggregation-controller              gathers the rules of ClusterRoles into those that select them
  root-ca-certificate-publisher-controller        publishes the authority's certificate in every namespace
  certificatesigningrequest-approving-controller  approves CertificateSigningRequests of kubelets
  certificatesigningrequest-signing-controller    signs approved CertificateSigningRequests
  certificatesigningrequest-cleaner-controller    deletes CertificateSigningRequests that are done or expired
  serviceaccount-token-controller                 fills Secrets of service account tokens
  deployment-controller                           rolls Deployments out through ReplicaSets
  replicaset-controller                           keeps the pods of ReplicaSets
  replicationcontroller-controller                keeps the pods of ReplicationControllers
  job-controller                                  runs Jobs
  ttl-after-finished-controller                   deletes finished Jobs after their time to live
  cronjob-controller                              creates the Jobs of CronJobs
  statefulset-controller                          keeps the pods and claims of StatefulSets
  endpoints-controller                            keeps the Endpoints of Services
  endpointslice-controller                        keeps the EndpointSlices of Services
  endpointslice-mirroring-controller              mirrors hand-made Endpoints as EndpointSlices
  reservation                                     reserves room on nodes: makes the Tickets of Orders and the guardian pods of Tickets`;

export const OPERATOR_CONTROLLERS_HELP = `
Controllers:
  rollout-driver   rolls out DaemonSets with the annotation everynode.dev/rollout-driver, beside the controller that runs DaemonSets
  component        keeps KubernetesDaemonSets: everything a node daemon needs, from one custom resource
  daemonset        runs DaemonSets, in place of the DaemonSet controller of kube-controller-manager (only when named)
  scheduler        gives pods their nodes, in place of kube-scheduler (only when named)
  claim-scheduler  gives pods that claim a Ticket their nodes, beside kube-scheduler
  reservation      reserves room on nodes: makes the Tickets of Orders and the guardian pods of Tickets`;
