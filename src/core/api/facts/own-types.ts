// Types of the kinds this product adds, in the notation of ./kubernetes-types.ts. They have no protobuf form. Fields are
// pointers (`*`) because what a custom resource says explicitly is kept, also when it is empty.
export const OWN_TYPES = `
everynode/v1alpha1.DaemonHome typed
 metadata - meta/v1.ObjectMeta
 spec - *raw
 status - *raw
everynode/v1alpha1.DaemonHomeList typed
 metadata - meta/v1.ListMeta
 items - []everynode/v1alpha1.DaemonHome always required
everynode/v1alpha1.NodeUsage typed
 metadata - meta/v1.ObjectMeta
 spec - *raw
 status - *raw
everynode/v1alpha1.NodeUsageList typed
 metadata - meta/v1.ListMeta
 items - []everynode/v1alpha1.NodeUsage always required
everynode/v1alpha1.Partition typed
 metadata - meta/v1.ObjectMeta
 spec - *raw
 status - *raw
everynode/v1alpha1.PartitionList typed
 metadata - meta/v1.ListMeta
 items - []everynode/v1alpha1.Partition always required
everynode/v1alpha1.Tenant typed
 metadata - meta/v1.ObjectMeta
 spec - *raw
 status - *raw
everynode/v1alpha1.TenantList typed
 metadata - meta/v1.ListMeta
 items - []everynode/v1alpha1.Tenant always required
karpenter/v1.Budget
 nodes - *string
 reasons - *[]string
 schedule - *string
 duration - *string
karpenter/v1.Disruption
 consolidateAfter - *string
 consolidationPolicy - *string
 budgets - *[]karpenter/v1.Budget
karpenter/v1.NodeClaim typed
 metadata - meta/v1.ObjectMeta
 spec - karpenter/v1.NodeClaimSpec required
 status - *karpenter/v1.NodeClaimStatus
karpenter/v1.NodeClaimList typed
 metadata - meta/v1.ListMeta
 items - []karpenter/v1.NodeClaim always required
karpenter/v1.NodeClaimSpec
 taints - *[]core/v1.Taint
 startupTaints - *[]core/v1.Taint
 requirements - *[]karpenter/v1.NodeSelectorRequirementWithMinValues
 resources - *karpenter/v1.ResourceRequirements
 nodeClassRef - *karpenter/v1.NodeClassReference
 terminationGracePeriod - *string
 expireAfter - *string
karpenter/v1.NodeClaimStatus
 nodeName - *string
 providerID - *string
 imageID - *string
 capacity - *{}quantity
 allocatable - *{}quantity
 conditions - *[]meta/v1.Condition list=map(type)
 lastPodEventTime - *time
karpenter/v1.NodeClaimTemplate
 metadata - *karpenter/v1.TemplateMetadata
 spec - *karpenter/v1.NodeClaimSpec
karpenter/v1.NodeClassReference
 group - *string
 kind - *string
 name - *string
karpenter/v1.NodePool typed
 metadata - meta/v1.ObjectMeta
 spec - karpenter/v1.NodePoolSpec required
 status - *karpenter/v1.NodePoolStatus
karpenter/v1.NodePoolList typed
 metadata - meta/v1.ListMeta
 items - []karpenter/v1.NodePool always required
karpenter/v1.NodePoolSpec
 template - *karpenter/v1.NodeClaimTemplate
 disruption - *karpenter/v1.Disruption
 limits - *{}quantity
 weight - *int32
 replicas - *int64
karpenter/v1.NodePoolStatus
 resources - *{}quantity
 nodes - *int64
 nodeClassObservedGeneration - *int64
 conditions - *[]meta/v1.Condition list=map(type)
karpenter/v1.NodeSelectorRequirementWithMinValues
 key - *string
 operator - *string
 values - *[]string
 minValues - *int32
karpenter/v1.ResourceRequirements
 requests - *{}quantity
karpenter/v1.TemplateMetadata
 labels - *{}string
 annotations - *{}string
korder/v1alpha1.Order typed
 metadata - meta/v1.ObjectMeta
 spec - korder/v1alpha1.OrderSpec required
 status - *korder/v1alpha1.OrderStatus
korder/v1alpha1.OrderList typed
 metadata - meta/v1.ListMeta
 items - []korder/v1alpha1.Order always required
korder/v1alpha1.OrderSpec
 daemonSet - *bool
 template - *korder/v1alpha1.TicketTemplate
 paused - *bool
 replicas - *int32
 strategy - *korder/v1alpha1.OrderStrategy
 refreshPolicy - *string
 minReadySeconds - *int32
 selector - *meta/v1.LabelSelector
korder/v1alpha1.OrderStatus
 replicas - *int32
 availableReplicas - *int32
 unavailableReplicas - *int32
 terminalReplicas - *int32
 updatedReplicas - *int32
 selector - *string
 lastScheduleTime - *time
 nextScheduleTime - *time
 observedGeneration - *int64
 collisionCount - *int32
 conditions - *[]meta/v1.Condition list=map(type)
korder/v1alpha1.OrderStrategy
 type - *string
 schedule - *string
 timeZone - *string
 refreshPolicy - *string
korder/v1alpha1.Quota typed
 metadata - meta/v1.ObjectMeta
 spec - korder/v1alpha1.QuotaSpec required
 status - *korder/v1alpha1.QuotaStatus
korder/v1alpha1.QuotaAllocation
 namespace - string required
 limits - *{}quantity
korder/v1alpha1.QuotaList typed
 metadata - meta/v1.ListMeta
 items - []korder/v1alpha1.Quota always required
korder/v1alpha1.QuotaScope
 type - *string
 namespaceSelector - *meta/v1.LabelSelector
 namespaces - *[]string list=set
 objectSelector - *meta/v1.LabelSelector
korder/v1alpha1.QuotaSpec
 scope - *korder/v1alpha1.QuotaScope
 hard - *raw
 timeWindows - *[]korder/v1alpha1.QuotaTimeWindow list=map(name)
 allocation - *[]korder/v1alpha1.QuotaAllocation list=map(namespace)
korder/v1alpha1.QuotaStatus
 hard - *raw
 used - *raw
 activeTimeWindow - *string
 observedGeneration - *int64
 conditions - *[]meta/v1.Condition list=map(type)
korder/v1alpha1.QuotaTimeWindow
 name - string required
 schedule - *string
 multiplier - *string
korder/v1alpha1.Ticket typed
 metadata - meta/v1.ObjectMeta
 spec - korder/v1alpha1.TicketSpec required
 status - *korder/v1alpha1.TicketStatus
korder/v1alpha1.TicketClaim
 podNamespace - *string
 podName - *string
 podUID - *string
 shade - *string
 deadline - *time
korder/v1alpha1.TicketLifecycle
 ttlSecondsAfterFinished - *int32
 cleanupPolicy - *string
korder/v1alpha1.TicketList typed
 metadata - meta/v1.ListMeta
 items - []korder/v1alpha1.Ticket always required
korder/v1alpha1.TicketSpec
 duration - *string
 startTime - *string
 window - *korder/v1alpha1.TicketWindow
 lifecycle - *korder/v1alpha1.TicketLifecycle
 ttlSecondsAfterFinished - *int32
 cleanupPolicy - *string
 schedulerName - *string
 priorityClassName - *string
 resources - *core/v1.ResourceRequirements
 nodeName - *string
 nodeSelector - *{}string
 affinity - *core/v1.Affinity
 tolerations - *[]core/v1.Toleration list=atomic
 topologySpreadConstraints - *[]core/v1.TopologySpreadConstraint list=atomic
korder/v1alpha1.TicketStatus
 phase - *string
 activationTime - *time
 expirationTime - *time
 claimedTime - *time
 renewedTime - *time
 finishedTime - *time
 claim - *korder/v1alpha1.TicketClaim
 utilizationRate - *string
 nodeName - *string
 guardianPod - *string
 claimedPod - *string
 podName - *string
 podNamespace - *string
 message - *string
 reason - *string
 observedGeneration - *int64
 conditions - *[]meta/v1.Condition list=map(type)
korder/v1alpha1.TicketTemplate
 metadata - *korder/v1alpha1.TicketTemplateMetadata
 spec - *korder/v1alpha1.TicketSpec
korder/v1alpha1.TicketTemplateMetadata
 name - *string
 namespace - *string
 labels - *{}string
 annotations - *{}string
 finalizers - *[]string list=set
korder/v1alpha1.TicketWindow
 startTime - *string
 timeZone - *string
 duration - *string
planton/v1.KubernetesDaemonSet typed open
 metadata - meta/v1.ObjectMeta
 spec - planton/v1.KubernetesDaemonSetSpec required
 status - *raw
planton/v1.KubernetesDaemonSetList typed
 metadata - meta/v1.ListMeta
 items - []planton/v1.KubernetesDaemonSet always required
planton/v1.KubernetesDaemonSetSpec open
 targetCluster - *raw
 namespace - *raw
 createNamespace - *bool
 container - *raw
 nodeSelector - *{}string
 tolerations - *raw
 updateStrategy - *raw
 minReadySeconds - *int32
 createServiceAccount - *bool
 serviceAccountName - *string
 configMaps - *{}string
 rbac - *raw
 pod - *raw
 revisionHistoryLimit - *int32
`;
