// Resources this product adds to Kubernetes' own, in the notation of ./kubernetes-resources.ts.
export const OWN_RESOURCES = `
core.korder.dev v1alpha1 orders Order order Namespaced create,delete,deletecollection,get,list,patch,update,watch ord everynode scale:autoscaling/v1/Scale:get+patch+update status:core.korder.dev/v1alpha1/Order:get+patch+update
core.korder.dev v1alpha1 tickets Ticket ticket Namespaced create,delete,deletecollection,get,list,patch,update,watch tkt everynode status:core.korder.dev/v1alpha1/Ticket:get+patch+update
core.korder.dev v1alpha1 quotas Quota korderquota Cluster create,delete,deletecollection,get,list,patch,update,watch kquota everynode status:core.korder.dev/v1alpha1/Quota:get+patch+update
karpenter.sh v1 nodepools NodePool nodepool Cluster create,delete,deletecollection,get,list,patch,update,watch - karpenter status:karpenter.sh/v1/NodePool:get+patch+update
karpenter.sh v1 nodeclaims NodeClaim nodeclaim Cluster create,delete,deletecollection,get,list,patch,update,watch - karpenter status:karpenter.sh/v1/NodeClaim:get+patch+update
kubernetes.planton.dev v1 kubernetesdaemonsets KubernetesDaemonSet kubernetesdaemonset Namespaced create,delete,deletecollection,get,list,patch,update,watch - - status:kubernetes.planton.dev/v1/KubernetesDaemonSet:get+patch+update
kubernetes.project-planton.org v1 kubernetesdaemonsets KubernetesDaemonSet kubernetesdaemonset Namespaced create,delete,deletecollection,get,list,patch,update,watch - - status:kubernetes.project-planton.org/v1/KubernetesDaemonSet:get+patch+update
kubernetes.openmcf.org v1 kubernetesdaemonsets KubernetesDaemonSet kubernetesdaemonset Namespaced create,delete,deletecollection,get,list,patch,update,watch - - status:kubernetes.openmcf.org/v1/KubernetesDaemonSet:get+patch+update
everynode.dev v1alpha1 tenants Tenant tenant Cluster create,delete,deletecollection,get,list,patch,update,watch te everynode status:everynode.dev/v1alpha1/Tenant:get+patch+update
everynode.dev v1alpha1 partitions Partition partition Cluster create,delete,deletecollection,get,list,patch,update,watch - everynode status:everynode.dev/v1alpha1/Partition:get+patch+update
everynode.dev v1alpha1 daemonhomes DaemonHome daemonhome Namespaced create,delete,deletecollection,get,list,patch,update,watch - everynode status:everynode.dev/v1alpha1/DaemonHome:get+patch+update
everynode.dev v1alpha1 nodeusages NodeUsage nodeusage Cluster create,delete,deletecollection,get,list,patch,update,watch - everynode status:everynode.dev/v1alpha1/NodeUsage:get+patch+update
`;
