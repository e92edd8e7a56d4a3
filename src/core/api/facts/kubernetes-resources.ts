// Published facts of the resources Kubernetes v1.36 serves, one a line: group version resource Kind singular scope verbs
// shortNames categories subresource:group/version/Kind:verbs… Written by tools/facts/resources.mjs; `-` is empty.
export const KUBERNETES_RESOURCES = `
- v1 bindings Binding binding Namespaced create - - -
- v1 componentstatuses ComponentStatus componentstatus Cluster get,list cs - -
- v1 configmaps ConfigMap configmap Namespaced create,delete,deletecollection,get,list,patch,update,watch cm - -
- v1 endpoints Endpoints endpoints Namespaced create,delete,deletecollection,get,list,patch,update,watch ep - -
- v1 events Event event Namespaced create,delete,deletecollection,get,list,patch,update,watch ev - -
- v1 limitranges LimitRange limitrange Namespaced create,delete,deletecollection,get,list,patch,update,watch limits - -
- v1 namespaces Namespace namespace Cluster create,delete,get,list,patch,update,watch ns - finalize:-/v1/Namespace:update status:-/v1/Namespace:get+patch+update
- v1 nodes Node node Cluster create,delete,deletecollection,get,list,patch,update,watch no - proxy:-/v1/NodeProxyOptions:create+delete+get+patch+update status:-/v1/Node:get+patch+update
- v1 persistentvolumeclaims PersistentVolumeClaim persistentvolumeclaim Namespaced create,delete,deletecollection,get,list,patch,update,watch pvc - status:-/v1/PersistentVolumeClaim:get+patch+update
- v1 persistentvolumes PersistentVolume persistentvolume Cluster create,delete,deletecollection,get,list,patch,update,watch pv - status:-/v1/PersistentVolume:get+patch+update
- v1 pods Pod pod Namespaced create,delete,deletecollection,get,list,patch,update,watch po all attach:-/v1/PodAttachOptions:create+get binding:-/v1/Binding:create ephemeralcontainers:-/v1/Pod:get+patch+update eviction:policy/v1/Eviction:create exec:-/v1/PodExecOptions:create+get log:-/v1/Pod:get portforward:-/v1/PodPortForwardOptions:create+get proxy:-/v1/PodProxyOptions:create+delete+get+patch+update resize:-/v1/Pod:get+patch+update status:-/v1/Pod:get+patch+update
- v1 podtemplates PodTemplate podtemplate Namespaced create,delete,deletecollection,get,list,patch,update,watch - - -
- v1 replicationcontrollers ReplicationController replicationcontroller Namespaced create,delete,deletecollection,get,list,patch,update,watch rc all scale:autoscaling/v1/Scale:get+patch+update status:-/v1/ReplicationController:get+patch+update
- v1 resourcequotas ResourceQuota resourcequota Namespaced create,delete,deletecollection,get,list,patch,update,watch quota - status:-/v1/ResourceQuota:get+patch+update
- v1 secrets Secret secret Namespaced create,delete,deletecollection,get,list,patch,update,watch - - -
- v1 serviceaccounts ServiceAccount serviceaccount Namespaced create,delete,deletecollection,get,list,patch,update,watch sa - token:authentication.k8s.io/v1/TokenRequest:create
- v1 services Service service Namespaced create,delete,deletecollection,get,list,patch,update,watch svc all proxy:-/v1/ServiceProxyOptions:create+delete+get+patch+update status:-/v1/Service:get+patch+update
apiregistration.k8s.io v1 apiservices APIService apiservice Cluster create,delete,deletecollection,get,list,patch,update,watch - api-extensions status:apiregistration.k8s.io/v1/APIService:get+patch+update
apps v1 controllerrevisions ControllerRevision controllerrevision Namespaced create,delete,deletecollection,get,list,patch,update,watch - - -
apps v1 daemonsets DaemonSet daemonset Namespaced create,delete,deletecollection,get,list,patch,update,watch ds all status:apps/v1/DaemonSet:get+patch+update
apps v1 deployments Deployment deployment Namespaced create,delete,deletecollection,get,list,patch,update,watch deploy all scale:autoscaling/v1/Scale:get+patch+update status:apps/v1/Deployment:get+patch+update
apps v1 replicasets ReplicaSet replicaset Namespaced create,delete,deletecollection,get,list,patch,update,watch rs all scale:autoscaling/v1/Scale:get+patch+update status:apps/v1/ReplicaSet:get+patch+update
apps v1 statefulsets StatefulSet statefulset Namespaced create,delete,deletecollection,get,list,patch,update,watch sts all scale:autoscaling/v1/Scale:get+patch+update status:apps/v1/StatefulSet:get+patch+update
events.k8s.io v1 events Event event Namespaced create,delete,deletecollection,get,list,patch,update,watch ev - -
authentication.k8s.io v1 selfsubjectreviews SelfSubjectReview selfsubjectreview Cluster create - - -
authentication.k8s.io v1 tokenreviews TokenReview tokenreview Cluster create - - -
authorization.k8s.io v1 localsubjectaccessreviews LocalSubjectAccessReview localsubjectaccessreview Namespaced create - - -
authorization.k8s.io v1 selfsubjectaccessreviews SelfSubjectAccessReview selfsubjectaccessreview Cluster create - - -
authorization.k8s.io v1 selfsubjectrulesreviews SelfSubjectRulesReview selfsubjectrulesreview Cluster create - - -
authorization.k8s.io v1 subjectaccessreviews SubjectAccessReview subjectaccessreview Cluster create - - -
autoscaling v2 horizontalpodautoscalers HorizontalPodAutoscaler horizontalpodautoscaler Namespaced create,delete,deletecollection,get,list,patch,update,watch hpa all status:autoscaling/v2/HorizontalPodAutoscaler:get+patch+update
autoscaling v1 horizontalpodautoscalers HorizontalPodAutoscaler horizontalpodautoscaler Namespaced create,delete,deletecollection,get,list,patch,update,watch hpa all status:autoscaling/v1/HorizontalPodAutoscaler:get+patch+update
batch v1 cronjobs CronJob cronjob Namespaced create,delete,deletecollection,get,list,patch,update,watch cj all status:batch/v1/CronJob:get+patch+update
batch v1 jobs Job job Namespaced create,delete,deletecollection,get,list,patch,update,watch - all status:batch/v1/Job:get+patch+update
certificates.k8s.io v1 certificatesigningrequests CertificateSigningRequest certificatesigningrequest Cluster create,delete,deletecollection,get,list,patch,update,watch csr - approval:certificates.k8s.io/v1/CertificateSigningRequest:get+patch+update status:certificates.k8s.io/v1/CertificateSigningRequest:get+patch+update
networking.k8s.io v1 ingressclasses IngressClass ingressclass Cluster create,delete,deletecollection,get,list,patch,update,watch - - -
networking.k8s.io v1 ingresses Ingress ingress Namespaced create,delete,deletecollection,get,list,patch,update,watch ing - status:networking.k8s.io/v1/Ingress:get+patch+update
networking.k8s.io v1 ipaddresses IPAddress ipaddress Cluster create,delete,deletecollection,get,list,patch,update,watch ip - -
networking.k8s.io v1 networkpolicies NetworkPolicy networkpolicy Namespaced create,delete,deletecollection,get,list,patch,update,watch netpol - -
networking.k8s.io v1 servicecidrs ServiceCIDR servicecidr Cluster create,delete,deletecollection,get,list,patch,update,watch - - status:networking.k8s.io/v1/ServiceCIDR:get+patch+update
policy v1 poddisruptionbudgets PodDisruptionBudget poddisruptionbudget Namespaced create,delete,deletecollection,get,list,patch,update,watch pdb - status:policy/v1/PodDisruptionBudget:get+patch+update
rbac.authorization.k8s.io v1 clusterrolebindings ClusterRoleBinding clusterrolebinding Cluster create,delete,deletecollection,get,list,patch,update,watch - - -
rbac.authorization.k8s.io v1 clusterroles ClusterRole clusterrole Cluster create,delete,deletecollection,get,list,patch,update,watch - - -
rbac.authorization.k8s.io v1 rolebindings RoleBinding rolebinding Namespaced create,delete,deletecollection,get,list,patch,update,watch - - -
rbac.authorization.k8s.io v1 roles Role role Namespaced create,delete,deletecollection,get,list,patch,update,watch - - -
storage.k8s.io v1 csidrivers CSIDriver csidriver Cluster create,delete,deletecollection,get,list,patch,update,watch - - -
storage.k8s.io v1 csinodes CSINode csinode Cluster create,delete,deletecollection,get,list,patch,update,watch - - -
storage.k8s.io v1 csistoragecapacities CSIStorageCapacity csistoragecapacity Namespaced create,delete,deletecollection,get,list,patch,update,watch - - -
storage.k8s.io v1 storageclasses StorageClass storageclass Cluster create,delete,deletecollection,get,list,patch,update,watch sc - -
storage.k8s.io v1 volumeattachments VolumeAttachment volumeattachment Cluster create,delete,deletecollection,get,list,patch,update,watch - - status:storage.k8s.io/v1/VolumeAttachment:get+patch+update
storage.k8s.io v1 volumeattributesclasses VolumeAttributesClass volumeattributesclass Cluster create,delete,deletecollection,get,list,patch,update,watch vac - -
admissionregistration.k8s.io v1 mutatingadmissionpolicies MutatingAdmissionPolicy mutatingadmissionpolicy Cluster create,delete,deletecollection,get,list,patch,update,watch - api-extensions -
admissionregistration.k8s.io v1 mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding mutatingadmissionpolicybinding Cluster create,delete,deletecollection,get,list,patch,update,watch - api-extensions -
admissionregistration.k8s.io v1 mutatingwebhookconfigurations MutatingWebhookConfiguration mutatingwebhookconfiguration Cluster create,delete,deletecollection,get,list,patch,update,watch - api-extensions -
admissionregistration.k8s.io v1 validatingadmissionpolicies ValidatingAdmissionPolicy validatingadmissionpolicy Cluster create,delete,deletecollection,get,list,patch,update,watch - api-extensions status:admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy:get+patch+update
admissionregistration.k8s.io v1 validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding validatingadmissionpolicybinding Cluster create,delete,deletecollection,get,list,patch,update,watch - api-extensions -
admissionregistration.k8s.io v1 validatingwebhookconfigurations ValidatingWebhookConfiguration validatingwebhookconfiguration Cluster create,delete,deletecollection,get,list,patch,update,watch - api-extensions -
apiextensions.k8s.io v1 customresourcedefinitions CustomResourceDefinition customresourcedefinition Cluster create,delete,deletecollection,get,list,patch,update,watch crd,crds api-extensions status:apiextensions.k8s.io/v1/CustomResourceDefinition:get+patch+update
scheduling.k8s.io v1 priorityclasses PriorityClass priorityclass Cluster create,delete,deletecollection,get,list,patch,update,watch pc - -
coordination.k8s.io v1 leases Lease lease Namespaced create,delete,deletecollection,get,list,patch,update,watch - - -
node.k8s.io v1 runtimeclasses RuntimeClass runtimeclass Cluster create,delete,deletecollection,get,list,patch,update,watch - - -
discovery.k8s.io v1 endpointslices EndpointSlice endpointslice Namespaced create,delete,deletecollection,get,list,patch,update,watch - - -
resource.k8s.io v1 deviceclasses DeviceClass deviceclass Cluster create,delete,deletecollection,get,list,patch,update,watch - - -
resource.k8s.io v1 resourceclaims ResourceClaim resourceclaim Namespaced create,delete,deletecollection,get,list,patch,update,watch - - status:resource.k8s.io/v1/ResourceClaim:get+patch+update
resource.k8s.io v1 resourceclaimtemplates ResourceClaimTemplate resourceclaimtemplate Namespaced create,delete,deletecollection,get,list,patch,update,watch - - -
resource.k8s.io v1 resourceslices ResourceSlice resourceslice Cluster create,delete,deletecollection,get,list,patch,update,watch - - -
flowcontrol.apiserver.k8s.io v1 flowschemas FlowSchema flowschema Cluster create,delete,deletecollection,get,list,patch,update,watch - - status:flowcontrol.apiserver.k8s.io/v1/FlowSchema:get+patch+update
flowcontrol.apiserver.k8s.io v1 prioritylevelconfigurations PriorityLevelConfiguration prioritylevelconfiguration Cluster create,delete,deletecollection,get,list,patch,update,watch - - status:flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration:get+patch+update
`;
