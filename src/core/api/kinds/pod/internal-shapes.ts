/**
 * Facts about the types Kubernetes keeps in memory, as far as its messages print them: names and order of their fields.
 * A line is a type, then its fields: `Name` (read from `name`), `Name=key` (read from `key`), `key!` (spelled the same in
 * both) or `key~` (the same, left out when empty), a colon and the type: s string, i integer, b boolean, q quantity,
 * x integer or string, t time, `[T` list, `{T` map, `*T` pointer, or a type's name. `@key` lays the fields of the value
 * under `key` in line.
 */
export const INTERNAL_SHAPES = `
apps.DaemonSetUpdateStrategy Type:s RollingUpdate:*apps.RollingUpdateDaemonSet
apps.DeploymentStrategy Type:s RollingUpdate:*apps.RollingUpdateDeployment
apps.RollingUpdateDaemonSet MaxUnavailable:x MaxSurge:x
apps.RollingUpdateDeployment MaxUnavailable:x MaxSurge:x
apps.RollingUpdateStatefulSetStrategy Partition:i MaxUnavailable:*x
apps.StatefulSetUpdateStrategy Type:s RollingUpdate:*apps.RollingUpdateStatefulSetStrategy
batch.JobCondition Type:s Status:s LastProbeTime:t LastTransitionTime:t Reason:s Message:s
batch.JobSpec Parallelism:*i Completions:*i PodFailurePolicy:*batch.PodFailurePolicy SuccessPolicy:*batch.SuccessPolicy ActiveDeadlineSeconds:*i BackoffLimit:*i BackoffLimitPerIndex:*i MaxFailedIndexes:*i Selector:*v1.LabelSelector ManualSelector:*b Template:core.PodTemplateSpec TTLSecondsAfterFinished=ttlSecondsAfterFinished:*i CompletionMode:*s Suspend:*b PodReplacementPolicy:*s ManagedBy:*s
batch.JobStatus Conditions:[batch.JobCondition StartTime:*t CompletionTime:*t Active:i Terminating:*i Ready:*i Succeeded:i Failed:i CompletedIndexes:s FailedIndexes:*s UncountedTerminatedPods:*batch.UncountedTerminatedPods
batch.PodFailurePolicy Rules:[batch.PodFailurePolicyRule
batch.PodFailurePolicyOnExitCodesRequirement ContainerName:*s Operator:s Values:[i
batch.PodFailurePolicyOnPodConditionsPattern Type:s Status:s
batch.PodFailurePolicyRule Action:s OnExitCodes:*batch.PodFailurePolicyOnExitCodesRequirement OnPodConditions:[batch.PodFailurePolicyOnPodConditionsPattern
batch.SuccessPolicy Rules:[batch.SuccessPolicyRule
batch.SuccessPolicyRule SucceededIndexes:*s SucceededCount:*i
batch.UncountedTerminatedPods Succeeded:[s Failed:[s
core.AWSElasticBlockStoreVolumeSource VolumeID:s FSType=fsType:s Partition:i ReadOnly:b
core.Affinity NodeAffinity:*core.NodeAffinity PodAffinity:*core.PodAffinity PodAntiAffinity:*core.PodAntiAffinity
core.AppArmorProfile Type:s LocalhostProfile:*s
core.AzureDiskVolumeSource DiskName:s DataDiskURI=diskURI:s CachingMode:*s FSType=fsType:*s ReadOnly:*b Kind:*s
core.AzureFilePersistentVolumeSource SecretName:s ShareName:s ReadOnly:b SecretNamespace:*s
core.AzureFileVolumeSource SecretName:s ShareName:s ReadOnly:b
core.CSIPersistentVolumeSource Driver:s VolumeHandle:s ReadOnly:b FSType=fsType:s VolumeAttributes:{s ControllerPublishSecretRef:*core.SecretReference NodeStageSecretRef:*core.SecretReference NodePublishSecretRef:*core.SecretReference ControllerExpandSecretRef:*core.SecretReference NodeExpandSecretRef:*core.SecretReference
core.CSIVolumeSource Driver:s ReadOnly:*b FSType=fsType:*s VolumeAttributes:{s NodePublishSecretRef:*core.LocalObjectReference
core.Capabilities Add:[s Drop:[s
core.CephFSPersistentVolumeSource Monitors:[s Path:s User:s SecretFile:s SecretRef:*core.SecretReference ReadOnly:b
core.CephFSVolumeSource Monitors:[s Path:s User:s SecretFile:s SecretRef:*core.LocalObjectReference ReadOnly:b
core.CinderPersistentVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b SecretRef:*core.SecretReference
core.CinderVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b SecretRef:*core.LocalObjectReference
core.ClusterTrustBundleProjection Name:*s SignerName:*s LabelSelector:*v1.LabelSelector Optional:*b Path:s
core.ConfigMapEnvSource Name:s Optional:*b
core.ConfigMapKeySelector Name:s Key:s Optional:*b
core.ConfigMapProjection Name:s Items:[core.KeyToPath Optional:*b
core.ConfigMapVolumeSource Name:s Items:[core.KeyToPath DefaultMode:*i Optional:*b
core.Container Name:s Image:s Command:[s Args:[s WorkingDir:s Ports:[core.ContainerPort EnvFrom:[core.EnvFromSource Env:[core.EnvVar Resources:core.ResourceRequirements ResizePolicy:[core.ContainerResizePolicy RestartPolicy:*s RestartPolicyRules:[core.ContainerRestartRule VolumeMounts:[core.VolumeMount VolumeDevices:[core.VolumeDevice LivenessProbe:*core.Probe ReadinessProbe:*core.Probe StartupProbe:*core.Probe Lifecycle:*core.Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*core.SecurityContext Stdin:b StdinOnce:b TTY=tty:b
core.ContainerPort Name:s HostPort:i ContainerPort:i Protocol:s HostIP:s
core.ContainerResizePolicy ResourceName:s RestartPolicy:s
core.ContainerRestartRule Action:s ExitCodes:*core.ContainerRestartRuleOnExitCodes
core.ContainerRestartRuleOnExitCodes Operator:s Values:[i
core.DownwardAPIProjection Items:[core.DownwardAPIVolumeFile
core.DownwardAPIVolumeFile Path:s FieldRef:*core.ObjectFieldSelector ResourceFieldRef:*core.ResourceFieldSelector Mode:*i
core.DownwardAPIVolumeSource Items:[core.DownwardAPIVolumeFile DefaultMode:*i
core.EmptyDirVolumeSource Medium:s SizeLimit:*q
core.EnvFromSource Prefix:s ConfigMapRef:*core.ConfigMapEnvSource SecretRef:*core.SecretEnvSource
core.EnvVar Name:s Value:s ValueFrom:*core.EnvVarSource
core.EnvVarSource FieldRef:*core.ObjectFieldSelector ResourceFieldRef:*core.ResourceFieldSelector ConfigMapKeyRef:*core.ConfigMapKeySelector SecretKeyRef:*core.SecretKeySelector FileKeyRef:*core.FileKeySelector
core.EphemeralContainer Name:s Image:s Command:[s Args:[s WorkingDir:s Ports:[core.ContainerPort EnvFrom:[core.EnvFromSource Env:[core.EnvVar Resources:core.ResourceRequirements ResizePolicy:[core.ContainerResizePolicy RestartPolicy:*s RestartPolicyRules:[core.ContainerRestartRule VolumeMounts:[core.VolumeMount VolumeDevices:[core.VolumeDevice LivenessProbe:*core.Probe ReadinessProbe:*core.Probe StartupProbe:*core.Probe Lifecycle:*core.Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*core.SecurityContext Stdin:b StdinOnce:b TTY=tty:b TargetContainerName:s
core.EphemeralVolumeSource VolumeClaimTemplate:*core.PersistentVolumeClaimTemplate
core.ExecAction Command:[s
core.FCVolumeSource TargetWWNs:[s Lun:*i FSType=fsType:s ReadOnly:b WWIDs=wwids:[s
core.FileKeySelector VolumeName:s Path:s Key:s Optional:*b
core.FlexPersistentVolumeSource Driver:s FSType=fsType:s SecretRef:*core.SecretReference ReadOnly:b Options:{s
core.FlexVolumeSource Driver:s FSType=fsType:s SecretRef:*core.LocalObjectReference ReadOnly:b Options:{s
core.FlockerVolumeSource DatasetName:s DatasetUUID:s
core.GCEPersistentDiskVolumeSource PDName=pdName:s FSType=fsType:s Partition:i ReadOnly:b
core.GRPCAction Port:i Service:*s
core.GitRepoVolumeSource Repository:s Revision:s Directory:s
core.GlusterfsPersistentVolumeSource EndpointsName=endpoints:s Path:s ReadOnly:b EndpointsNamespace:*s
core.GlusterfsVolumeSource EndpointsName=endpoints:s Path:s ReadOnly:b
core.HTTPGetAction Path:s Port:x Host:s Scheme:s HTTPHeaders=httpHeaders:[core.HTTPHeader
core.HTTPHeader Name:s Value:s
core.HostAlias IP=ip:s Hostnames:[s
core.HostIP IP=ip:s
core.HostPathVolumeSource Path:s Type:*s
core.ISCSIPersistentVolumeSource TargetPortal:s IQN=iqn:s Lun:i ISCSIInterface=iscsiInterface:s FSType=fsType:s ReadOnly:b Portals:[s DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*core.SecretReference InitiatorName:*s
core.ISCSIVolumeSource TargetPortal:s IQN=iqn:s Lun:i ISCSIInterface=iscsiInterface:s FSType=fsType:s ReadOnly:b Portals:[s DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*core.LocalObjectReference InitiatorName:*s
core.ImageVolumeSource Reference:s PullPolicy:s
core.KeyToPath Key:s Path:s Mode:*i
core.Lifecycle PostStart:*core.LifecycleHandler PreStop:*core.LifecycleHandler StopSignal:*s
core.LifecycleHandler Exec:*core.ExecAction HTTPGet=httpGet:*core.HTTPGetAction TCPSocket=tcpSocket:*core.TCPSocketAction Sleep:*core.SleepAction
core.LocalObjectReference Name:s
core.LocalVolumeSource Path:s FSType=fsType:*s
core.NFSVolumeSource Server:s Path:s ReadOnly:b
core.NodeAffinity RequiredDuringSchedulingIgnoredDuringExecution:*core.NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[core.PreferredSchedulingTerm
core.NodeSelector NodeSelectorTerms:[core.NodeSelectorTerm
core.NodeSelectorRequirement Key:s Operator:s Values:[s
core.NodeSelectorTerm MatchExpressions:[core.NodeSelectorRequirement MatchFields:[core.NodeSelectorRequirement
core.ObjectFieldSelector APIVersion=apiVersion:s FieldPath:s
core.ObjectReference Kind:s Namespace:s Name:s UID=uid:s APIVersion=apiVersion:s ResourceVersion:s FieldPath:s
core.PersistentVolumeClaimSpec AccessModes:[s Selector:*v1.LabelSelector Resources:core.VolumeResourceRequirements VolumeName:s StorageClassName:*s VolumeMode:*s DataSource:*core.TypedLocalObjectReference DataSourceRef:*core.TypedObjectReference VolumeAttributesClassName:*s
core.PersistentVolumeClaimTemplate @metadata:v1.ObjectMeta Spec:core.PersistentVolumeClaimSpec
core.PersistentVolumeClaimVolumeSource ClaimName:s ReadOnly:b
core.PersistentVolumeSource GCEPersistentDisk=gcePersistentDisk:*core.GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*core.AWSElasticBlockStoreVolumeSource HostPath:*core.HostPathVolumeSource Glusterfs:*core.GlusterfsPersistentVolumeSource NFS=nfs:*core.NFSVolumeSource RBD=rbd:*core.RBDPersistentVolumeSource Quobyte:*core.QuobyteVolumeSource ISCSI=iscsi:*core.ISCSIPersistentVolumeSource FlexVolume:*core.FlexPersistentVolumeSource Cinder:*core.CinderPersistentVolumeSource CephFS=cephfs:*core.CephFSPersistentVolumeSource FC=fc:*core.FCVolumeSource Flocker:*core.FlockerVolumeSource AzureFile:*core.AzureFilePersistentVolumeSource VsphereVolume:*core.VsphereVirtualDiskVolumeSource AzureDisk:*core.AzureDiskVolumeSource PhotonPersistentDisk:*core.PhotonPersistentDiskVolumeSource PortworxVolume:*core.PortworxVolumeSource ScaleIO:*core.ScaleIOPersistentVolumeSource Local:*core.LocalVolumeSource StorageOS=storageos:*core.StorageOSPersistentVolumeSource CSI=csi:*core.CSIPersistentVolumeSource
core.PersistentVolumeSpec Capacity:{q GCEPersistentDisk=gcePersistentDisk:*core.GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*core.AWSElasticBlockStoreVolumeSource HostPath:*core.HostPathVolumeSource Glusterfs:*core.GlusterfsPersistentVolumeSource NFS=nfs:*core.NFSVolumeSource RBD=rbd:*core.RBDPersistentVolumeSource Quobyte:*core.QuobyteVolumeSource ISCSI=iscsi:*core.ISCSIPersistentVolumeSource FlexVolume:*core.FlexPersistentVolumeSource Cinder:*core.CinderPersistentVolumeSource CephFS=cephfs:*core.CephFSPersistentVolumeSource FC=fc:*core.FCVolumeSource Flocker:*core.FlockerVolumeSource AzureFile:*core.AzureFilePersistentVolumeSource VsphereVolume:*core.VsphereVirtualDiskVolumeSource AzureDisk:*core.AzureDiskVolumeSource PhotonPersistentDisk:*core.PhotonPersistentDiskVolumeSource PortworxVolume:*core.PortworxVolumeSource ScaleIO:*core.ScaleIOPersistentVolumeSource Local:*core.LocalVolumeSource StorageOS=storageos:*core.StorageOSPersistentVolumeSource CSI=csi:*core.CSIPersistentVolumeSource AccessModes:[s ClaimRef:*core.ObjectReference PersistentVolumeReclaimPolicy:s StorageClassName:s MountOptions:[s VolumeMode:*s NodeAffinity:*core.VolumeNodeAffinity VolumeAttributesClassName:*s
core.PhotonPersistentDiskVolumeSource PdID:s FSType=fsType:s
core.PodAffinity RequiredDuringSchedulingIgnoredDuringExecution:[core.PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[core.WeightedPodAffinityTerm
core.PodAffinityTerm LabelSelector:*v1.LabelSelector Namespaces:[s TopologyKey:s NamespaceSelector:*v1.LabelSelector MatchLabelKeys:[s MismatchLabelKeys:[s
core.PodAntiAffinity RequiredDuringSchedulingIgnoredDuringExecution:[core.PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[core.WeightedPodAffinityTerm
core.PodCertificateProjection SignerName:s KeyType:s MaxExpirationSeconds:*i CredentialBundlePath:s KeyPath:s CertificateChainPath:s UserAnnotations:{s
core.PodDNSConfig Nameservers:[s Searches:[s Options:[core.PodDNSConfigOption
core.PodDNSConfigOption Name:s Value:*s
core.PodIP IP=ip:s
core.PodOS Name:s
core.PodReadinessGate ConditionType:s
core.PodResourceClaim Name:s ResourceClaimName:*s ResourceClaimTemplateName:*s
core.PodSchedulingGate Name:s
core.PodSchedulingGroup PodGroupName:*s
core.PodSecurityContext HostNetwork:b HostPID:b HostIPC:b ShareProcessNamespace:*b HostUsers:*b SELinuxOptions=seLinuxOptions:*core.SELinuxOptions WindowsOptions:*core.WindowsSecurityContextOptions RunAsUser:*i RunAsGroup:*i RunAsNonRoot:*b SupplementalGroups:[i SupplementalGroupsPolicy:*s FSGroup=fsGroup:*i FSGroupChangePolicy=fsGroupChangePolicy:*s Sysctls:[core.Sysctl SeccompProfile:*core.SeccompProfile AppArmorProfile:*core.AppArmorProfile SELinuxChangePolicy=seLinuxChangePolicy:*s
core.PodSpec Volumes:[core.Volume InitContainers:[core.Container Containers:[core.Container EphemeralContainers:[core.EphemeralContainer RestartPolicy:s TerminationGracePeriodSeconds:*i ActiveDeadlineSeconds:*i DNSPolicy=dnsPolicy:s NodeSelector:{s ServiceAccountName:s AutomountServiceAccountToken:*b NodeName:s SecurityContext:*core.PodSecurityContext ImagePullSecrets:[core.LocalObjectReference Hostname:s Subdomain:s SetHostnameAsFQDN:*b Affinity:*core.Affinity SchedulerName:s Tolerations:[core.Toleration HostAliases:[core.HostAlias PriorityClassName:s Priority:*i PreemptionPolicy:*s DNSConfig=dnsConfig:*core.PodDNSConfig ReadinessGates:[core.PodReadinessGate RuntimeClassName:*s Overhead:{q EnableServiceLinks:*b TopologySpreadConstraints:[core.TopologySpreadConstraint OS=os:*core.PodOS SchedulingGates:[core.PodSchedulingGate ResourceClaims:[core.PodResourceClaim Resources:*core.ResourceRequirements HostnameOverride:*s SchedulingGroup:*core.PodSchedulingGroup
core.PodTemplateSpec @metadata:v1.ObjectMeta Spec:core.PodSpec
core.PortworxVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b
core.PreferredSchedulingTerm Weight:i Preference:core.NodeSelectorTerm
core.Probe Exec:*core.ExecAction HTTPGet=httpGet:*core.HTTPGetAction TCPSocket=tcpSocket:*core.TCPSocketAction GRPC=grpc:*core.GRPCAction InitialDelaySeconds:i TimeoutSeconds:i PeriodSeconds:i SuccessThreshold:i FailureThreshold:i TerminationGracePeriodSeconds:*i
core.ProjectedVolumeSource Sources:[core.VolumeProjection DefaultMode:*i
core.QuobyteVolumeSource Registry:s Volume:s ReadOnly:b User:s Group:s Tenant:s
core.RBDPersistentVolumeSource CephMonitors=monitors:[s RBDImage=image:s FSType=fsType:s RBDPool=pool:s RadosUser=user:s Keyring:s SecretRef:*core.SecretReference ReadOnly:b
core.RBDVolumeSource CephMonitors=monitors:[s RBDImage=image:s FSType=fsType:s RBDPool=pool:s RadosUser=user:s Keyring:s SecretRef:*core.LocalObjectReference ReadOnly:b
core.ResourceClaim Name:s Request:s
core.ResourceFieldSelector ContainerName:s Resource:s Divisor:q
core.ResourceRequirements Limits:{q Requests:{q Claims:[core.ResourceClaim
core.SELinuxOptions User:s Role:s Type:s Level:s
core.ScaleIOPersistentVolumeSource Gateway:s System:s SecretRef:*core.SecretReference SSLEnabled=sslEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType=fsType:s ReadOnly:b
core.ScaleIOVolumeSource Gateway:s System:s SecretRef:*core.LocalObjectReference SSLEnabled=sslEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType=fsType:s ReadOnly:b
core.SeccompProfile Type:s LocalhostProfile:*s
core.SecretEnvSource Name:s Optional:*b
core.SecretKeySelector Name:s Key:s Optional:*b
core.SecretProjection Name:s Items:[core.KeyToPath Optional:*b
core.SecretReference Name:s Namespace:s
core.SecretVolumeSource SecretName:s Items:[core.KeyToPath DefaultMode:*i Optional:*b
core.SecurityContext Capabilities:*core.Capabilities Privileged:*b SELinuxOptions=seLinuxOptions:*core.SELinuxOptions WindowsOptions:*core.WindowsSecurityContextOptions RunAsUser:*i RunAsGroup:*i RunAsNonRoot:*b ReadOnlyRootFilesystem:*b AllowPrivilegeEscalation:*b ProcMount:*s SeccompProfile:*core.SeccompProfile AppArmorProfile:*core.AppArmorProfile
core.ServiceAccountTokenProjection Audience:s ExpirationSeconds:i Path:s
core.SleepAction Seconds:i
core.StorageOSPersistentVolumeSource VolumeName:s VolumeNamespace:s FSType=fsType:s ReadOnly:b SecretRef:*core.ObjectReference
core.StorageOSVolumeSource VolumeName:s VolumeNamespace:s FSType=fsType:s ReadOnly:b SecretRef:*core.LocalObjectReference
core.Sysctl Name:s Value:s
core.TCPSocketAction Port:x Host:s
core.Toleration Key:s Operator:s Value:s Effect:s TolerationSeconds:*i
core.TopologySpreadConstraint MaxSkew:i TopologyKey:s WhenUnsatisfiable:s LabelSelector:*v1.LabelSelector MinDomains:*i NodeAffinityPolicy:*s NodeTaintsPolicy:*s MatchLabelKeys:[s
core.TypedLocalObjectReference APIGroup=apiGroup:*s Kind:s Name:s
core.TypedObjectReference APIGroup=apiGroup:*s Kind:s Name:s Namespace:*s
core.Volume Name:s HostPath:*core.HostPathVolumeSource EmptyDir:*core.EmptyDirVolumeSource GCEPersistentDisk=gcePersistentDisk:*core.GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*core.AWSElasticBlockStoreVolumeSource GitRepo:*core.GitRepoVolumeSource Secret:*core.SecretVolumeSource NFS=nfs:*core.NFSVolumeSource ISCSI=iscsi:*core.ISCSIVolumeSource Glusterfs:*core.GlusterfsVolumeSource PersistentVolumeClaim:*core.PersistentVolumeClaimVolumeSource RBD=rbd:*core.RBDVolumeSource Quobyte:*core.QuobyteVolumeSource FlexVolume:*core.FlexVolumeSource Cinder:*core.CinderVolumeSource CephFS=cephfs:*core.CephFSVolumeSource Flocker:*core.FlockerVolumeSource DownwardAPI:*core.DownwardAPIVolumeSource FC=fc:*core.FCVolumeSource AzureFile:*core.AzureFileVolumeSource ConfigMap:*core.ConfigMapVolumeSource VsphereVolume:*core.VsphereVirtualDiskVolumeSource AzureDisk:*core.AzureDiskVolumeSource PhotonPersistentDisk:*core.PhotonPersistentDiskVolumeSource Projected:*core.ProjectedVolumeSource PortworxVolume:*core.PortworxVolumeSource ScaleIO:*core.ScaleIOVolumeSource StorageOS=storageos:*core.StorageOSVolumeSource CSI=csi:*core.CSIVolumeSource Ephemeral:*core.EphemeralVolumeSource Image:*core.ImageVolumeSource
core.VolumeDevice Name:s DevicePath:s
core.VolumeMount Name:s ReadOnly:b RecursiveReadOnly:*s MountPath:s SubPath:s MountPropagation:*s SubPathExpr:s
core.VolumeNodeAffinity Required:*core.NodeSelector
core.VolumeProjection Secret:*core.SecretProjection DownwardAPI:*core.DownwardAPIProjection ConfigMap:*core.ConfigMapProjection ServiceAccountToken:*core.ServiceAccountTokenProjection ClusterTrustBundle:*core.ClusterTrustBundleProjection PodCertificate:*core.PodCertificateProjection
core.VolumeResourceRequirements Limits:{q Requests:{q
core.VsphereVirtualDiskVolumeSource VolumePath:s FSType=fsType:s StoragePolicyName:s StoragePolicyID:s
core.WeightedPodAffinityTerm Weight:i PodAffinityTerm:core.PodAffinityTerm
core.WindowsSecurityContextOptions GMSACredentialSpecName=gmsaCredentialSpecName:*s GMSACredentialSpec=gmsaCredentialSpec:*s RunAsUserName:*s HostProcess:*b
storage.CSINodeDriver Name:s NodeID:s TopologyKeys:[s Allocatable:*storage.VolumeNodeResources
storage.VolumeAttachmentSource PersistentVolumeName:*s InlineVolumeSpec:*core.PersistentVolumeSpec
storage.VolumeAttachmentSpec Attacher:s Source:storage.VolumeAttachmentSource NodeName:s
storage.VolumeNodeResources Count:*i
v1.LabelSelector matchLabels~:{s matchExpressions~:[v1.LabelSelectorRequirement
v1.LabelSelectorRequirement key!:s operator!:s values~:[s
v1.ObjectMeta name~:s generateName~:s namespace~:s selfLink~:s uid~:s resourceVersion~:s generation~:i creationTimestamp~:t deletionTimestamp~:*t deletionGracePeriodSeconds~:*i labels~:{s annotations~:{s ownerReferences~:[v1.OwnerReference finalizers~:[s
v1.OwnerReference apiVersion!:s kind!:s name!:s uid!:s controller~:*b blockOwnerDeletion~:*b
`;
