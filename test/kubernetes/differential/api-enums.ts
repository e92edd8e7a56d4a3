/**
 * Values that Kubernetes' string types name, one type a line: what a field of such a type may hold. Facts of k8s.io/api
 * v0.36; `+` stands for a space.
 */
const ENUMS = `
v1.APIServiceConditionType Available
v1.AppArmorProfileType Unconfined RuntimeDefault Localhost
v1.AzureDataDiskCachingMode None ReadOnly ReadWrite
v1.AzureDataDiskKind Shared Dedicated Managed
v1.CompletionMode NonIndexed Indexed
v1.ConcurrencyPolicy Allow Forbid Replace
v1.ConditionStatus True False Unknown
v1.ContainerRestartPolicy Always Never OnFailure
v1.ContainerRestartRuleAction Restart RestartAllContainers
v1.ContainerRestartRuleOnExitCodesOperator In NotIn
v1.ConversionStrategyType None Webhook
v1.CoordinatedLeaseStrategy OldestEmulationVersion
v1.CustomResourceDefinitionConditionType Established NamesAccepted NonStructuralSchema Terminating KubernetesAPIApprovalPolicyConformant StorageMigrating
v1.DNSPolicy ClusterFirstWithHostNet ClusterFirst Default None
v1.DaemonSetUpdateStrategyType RollingUpdate OnDelete
v1.DeletionPropagation Orphan Background Foreground
v1.DeploymentConditionType Available Progressing ReplicaFailure
v1.DeploymentStrategyType Recreate RollingUpdate
v1.FSGroupPolicy ReadWriteOnceWithFSType File None
v1.FailurePolicyType Ignore Fail
v1.FieldSelectorOperator In NotIn Exists DoesNotExist
v1.FinalizerName kubernetes
v1.FlowDistinguisherMethodType ByUser ByNamespace
v1.HostPathType DirectoryOrCreate Directory FileOrCreate File Socket CharDevice BlockDevice
v1.IPFamily IPv4 IPv6
v1.IPFamilyPolicy SingleStack PreferDualStack RequireDualStack
v1.JobConditionType Suspended Complete Failed FailureTarget SuccessCriteriaMet
v1.KeyUsage signing digital+signature content+commitment key+encipherment key+agreement data+encipherment cert+sign crl+sign encipher+only decipher+only any server+auth client+auth code+signing email+protection s/mime ipsec+end+system ipsec+tunnel ipsec+user timestamping ocsp+signing microsoft+sgc netscape+sgc
v1.LabelSelectorOperator In NotIn Exists DoesNotExist
v1.LimitResponseType Queue Reject
v1.LimitType Pod Container PersistentVolumeClaim
v1.LoadBalancerIPMode VIP Proxy
v1.ManagedFieldsOperationType Apply Update
v1.MatchPolicyType Exact Equivalent
v1.MountPropagationMode None HostToContainer Bidirectional
v1.NamespaceConditionType NamespaceDeletionDiscoveryFailure NamespaceDeletionContentFailure NamespaceDeletionGroupVersionParsingFailure NamespaceContentRemaining NamespaceFinalizersRemaining
v1.NamespacePhase Active Terminating
v1.NodeAddressType Hostname InternalIP ExternalIP InternalDNS ExternalDNS
v1.NodeConditionType Ready MemoryPressure DiskPressure PIDPressure NetworkUnavailable
v1.NodeInclusionPolicy Ignore Honor
v1.NodePhase Pending Running Terminated
v1.NodeSelectorOperator In NotIn Exists DoesNotExist Gt Lt
v1.OSName linux windows
v1.OperationType * CREATE UPDATE DELETE CONNECT
v1.ParameterNotFoundActionType Allow Deny
v1.PatchType ApplyConfiguration JSONPatch
v1.PersistentVolumeAccessMode ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod
v1.PersistentVolumeClaimConditionType Resizing FileSystemResizePending ControllerResizeError NodeResizeError ModifyVolumeError ModifyingVolume Unused
v1.PersistentVolumeClaimModifyVolumeStatus Pending InProgress Infeasible
v1.PersistentVolumeClaimPhase Pending Bound Lost
v1.PersistentVolumeClaimRetentionPolicyType Retain Delete
v1.PersistentVolumeMode Block Filesystem
v1.PersistentVolumePhase Pending Available Bound Released Failed
v1.PersistentVolumeReclaimPolicy Recycle Delete Retain
v1.PodConditionType ContainersReady Initialized Ready PodScheduled DisruptionTarget PodReadyToStartContainers PodResizePending PodResizeInProgress AllContainersRestarting
v1.PodFSGroupChangePolicy OnRootMismatch Always
v1.PodFailurePolicyAction FailJob FailIndex Ignore Count
v1.PodFailurePolicyOnExitCodesOperator In NotIn
v1.PodManagementPolicyType OrderedReady Parallel
v1.PodPhase Pending Running Succeeded Failed Unknown
v1.PodQOSClass Guaranteed Burstable BestEffort
v1.PodReplacementPolicy TerminatingOrFailed Failed
v1.PodResizeStatus InProgress Deferred Infeasible
v1.PodSELinuxChangePolicy Recursive MountOption
v1.PolicyType Ingress Egress
v1.PreemptionPolicy PreemptLowerPriority Never
v1.PriorityLevelEnablement Exempt Limited
v1.ProcMountType Default Unmasked
v1.Protocol TCP UDP SCTP
v1.PullPolicy Always Never IfNotPresent
v1.RecursiveReadOnlyMode Disabled IfPossible Enabled
v1.ReinvocationPolicyType Never IfNeeded
v1.ReplicaSetConditionType ReplicaFailure
v1.ReplicationControllerConditionType ReplicaFailure
v1.RequestConditionType Approved Denied Failed
v1.ResourceHealthStatus Healthy Unhealthy Unknown
v1.ResourceName cpu memory storage ephemeral-storage pods services replicationcontrollers resourcequotas secrets configmaps persistentvolumeclaims services.nodeports services.loadbalancers requests.cpu requests.memory requests.storage requests.ephemeral-storage limits.cpu limits.memory limits.ephemeral-storage
v1.ResourceQuotaScope Terminating NotTerminating BestEffort NotBestEffort PriorityClass CrossNamespacePodAffinity VolumeAttributesClass
v1.ResourceResizeRestartPolicy NotRequired RestartContainer
v1.ResourceScope Cluster Namespaced
v1.RestartPolicy Always OnFailure Never
v1.ScopeSelectorOperator In NotIn Exists DoesNotExist
v1.ScopeType Cluster Namespaced *
v1.SeccompProfileType Unconfined RuntimeDefault Localhost
v1.SecretType Opaque kubernetes.io/service-account-token kubernetes.io/dockercfg kubernetes.io/dockerconfigjson kubernetes.io/basic-auth kubernetes.io/ssh-auth kubernetes.io/tls bootstrap.kubernetes.io/token
v1.ServiceAffinity ClientIP None
v1.ServiceExternalTrafficPolicy Cluster Local
v1.ServiceInternalTrafficPolicy Cluster Local
v1.ServiceType ClusterIP NodePort LoadBalancer ExternalName
v1.SideEffectClass Unknown None Some NoneOnDryRun
v1.StatefulSetUpdateStrategyType RollingUpdate OnDelete
v1.StorageMedium Memory HugePages HugePages-
v1.SubjectKind User Group ServiceAccount
v1.SupplementalGroupsPolicy Merge Strict
v1.TaintEffect NoSchedule PreferNoSchedule NoExecute
v1.TerminationMessagePolicy File FallbackToLogsOnError
v1.TolerationOperator Exists Equal Lt Gt
v1.URIScheme HTTP HTTPS
v1.UnhealthyPodEvictionPolicyType IfHealthyBudget AlwaysAllow
v1.UnsatisfiableConstraintAction DoNotSchedule ScheduleAnyway
v1.ValidationAction Deny Warn Audit
v1.VolumeBindingMode Immediate WaitForFirstConsumer
v1.VolumeLifecycleMode Persistent Ephemeral
v2.HPAScalingPolicyType Pods Percent
v2.HorizontalPodAutoscalerConditionType ScalingActive AbleToScale ScalingLimited ScaledToZero
v2.MetricSourceType Object Pods Resource ContainerResource External
v2.MetricTargetType Utilization Value AverageValue
v2.ScalingPolicySelect Max Min Disabled
v1.AddressType IPv4 IPv6 FQDN
v1.PathType Exact Prefix ImplementationSpecific
v1.Signal SIGTERM SIGKILL SIGUSR1
v1.Capability ALL NET_ADMIN SYS_TIME
v1.DeviceAllocationMode ExactCount All
`;

/** Values by the name Go has for the type, `v1.Protocol`. */
export const ENUM_VALUES: ReadonlyMap<string, readonly string[]> = new Map(
  ENUMS.trim()
    .split('\n')
    .map((line) => {
      const [type = '', ...values] = line.split(' ');
      return [type, values.map((value) => value.replaceAll('+', ' '))];
    }),
);
