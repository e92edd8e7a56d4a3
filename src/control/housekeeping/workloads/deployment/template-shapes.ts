/**
 * The pod template as Kubernetes holds it in memory: types, the order and names of their fields, their JSON names where
 * those are not the same in small letters (`@`: written inline). The hash of a template is taken over this form.
 * `[]T`, `*T` as in Go; `{K,V` a map; `T<K` a named type of that kind.
 */
export const TEMPLATE_SHAPES = `
v1.AWSElasticBlockStoreVolumeSource VolumeID:string FSType=fsType:string Partition:int32 ReadOnly:bool
v1.Affinity NodeAffinity:*v1.NodeAffinity PodAffinity:*v1.PodAffinity PodAntiAffinity:*v1.PodAntiAffinity
v1.AppArmorProfile Type:v1.AppArmorProfileType<string LocalhostProfile:*string
v1.AzureDiskVolumeSource DiskName:string DataDiskURI=diskURI:string CachingMode:*v1.AzureDataDiskCachingMode<string FSType=fsType:*string ReadOnly:*bool Kind:*v1.AzureDataDiskKind<string
v1.AzureFileVolumeSource SecretName:string ShareName:string ReadOnly:bool
v1.CSIVolumeSource Driver:string ReadOnly:*bool FSType=fsType:*string VolumeAttributes:{string,string NodePublishSecretRef:*v1.LocalObjectReference
v1.Capabilities Add:[]v1.Capability<string Drop:[]v1.Capability<string
v1.CephFSVolumeSource Monitors:[]string Path:string User:string SecretFile:string SecretRef:*v1.LocalObjectReference ReadOnly:bool
v1.CinderVolumeSource VolumeID:string FSType=fsType:string ReadOnly:bool SecretRef:*v1.LocalObjectReference
v1.ClusterTrustBundleProjection Name:*string SignerName:*string LabelSelector:*v1.LabelSelector Optional:*bool Path:string
v1.ConfigMapEnvSource LocalObjectReference=@:v1.LocalObjectReference Optional:*bool
v1.ConfigMapKeySelector LocalObjectReference=@:v1.LocalObjectReference Key:string Optional:*bool
v1.ConfigMapProjection LocalObjectReference=@:v1.LocalObjectReference Items:[]v1.KeyToPath Optional:*bool
v1.ConfigMapVolumeSource LocalObjectReference=@:v1.LocalObjectReference Items:[]v1.KeyToPath DefaultMode:*int32 Optional:*bool
v1.Container Name:string Image:string Command:[]string Args:[]string WorkingDir:string Ports:[]v1.ContainerPort EnvFrom:[]v1.EnvFromSource Env:[]v1.EnvVar Resources:v1.ResourceRequirements ResizePolicy:[]v1.ContainerResizePolicy RestartPolicy:*v1.ContainerRestartPolicy<string RestartPolicyRules:[]v1.ContainerRestartRule VolumeMounts:[]v1.VolumeMount VolumeDevices:[]v1.VolumeDevice LivenessProbe:*v1.Probe ReadinessProbe:*v1.Probe StartupProbe:*v1.Probe Lifecycle:*v1.Lifecycle TerminationMessagePath:string TerminationMessagePolicy:v1.TerminationMessagePolicy<string ImagePullPolicy:v1.PullPolicy<string SecurityContext:*v1.SecurityContext Stdin:bool StdinOnce:bool TTY=tty:bool
v1.ContainerPort Name:string HostPort:int32 ContainerPort:int32 Protocol:v1.Protocol<string HostIP:string
v1.ContainerResizePolicy ResourceName:v1.ResourceName<string RestartPolicy:v1.ResourceResizeRestartPolicy<string
v1.ContainerRestartRule Action:v1.ContainerRestartRuleAction<string ExitCodes:*v1.ContainerRestartRuleOnExitCodes
v1.ContainerRestartRuleOnExitCodes Operator:v1.ContainerRestartRuleOnExitCodesOperator<string Values:[]int32
v1.DownwardAPIProjection Items:[]v1.DownwardAPIVolumeFile
v1.DownwardAPIVolumeFile Path:string FieldRef:*v1.ObjectFieldSelector ResourceFieldRef:*v1.ResourceFieldSelector Mode:*int32
v1.DownwardAPIVolumeSource Items:[]v1.DownwardAPIVolumeFile DefaultMode:*int32
v1.EmptyDirVolumeSource Medium:v1.StorageMedium<string SizeLimit:*resource.Quantity
v1.EnvFromSource Prefix:string ConfigMapRef:*v1.ConfigMapEnvSource SecretRef:*v1.SecretEnvSource
v1.EnvVar Name:string Value:string ValueFrom:*v1.EnvVarSource
v1.EnvVarSource FieldRef:*v1.ObjectFieldSelector ResourceFieldRef:*v1.ResourceFieldSelector ConfigMapKeyRef:*v1.ConfigMapKeySelector SecretKeyRef:*v1.SecretKeySelector FileKeyRef:*v1.FileKeySelector
v1.EphemeralContainer EphemeralContainerCommon=@:v1.EphemeralContainerCommon TargetContainerName:string
v1.EphemeralContainerCommon Name:string Image:string Command:[]string Args:[]string WorkingDir:string Ports:[]v1.ContainerPort EnvFrom:[]v1.EnvFromSource Env:[]v1.EnvVar Resources:v1.ResourceRequirements ResizePolicy:[]v1.ContainerResizePolicy RestartPolicy:*v1.ContainerRestartPolicy<string RestartPolicyRules:[]v1.ContainerRestartRule VolumeMounts:[]v1.VolumeMount VolumeDevices:[]v1.VolumeDevice LivenessProbe:*v1.Probe ReadinessProbe:*v1.Probe StartupProbe:*v1.Probe Lifecycle:*v1.Lifecycle TerminationMessagePath:string TerminationMessagePolicy:v1.TerminationMessagePolicy<string ImagePullPolicy:v1.PullPolicy<string SecurityContext:*v1.SecurityContext Stdin:bool StdinOnce:bool TTY=tty:bool
v1.EphemeralVolumeSource VolumeClaimTemplate:*v1.PersistentVolumeClaimTemplate
v1.ExecAction Command:[]string
v1.FCVolumeSource TargetWWNs:[]string Lun:*int32 FSType=fsType:string ReadOnly:bool WWIDs=wwids:[]string
v1.FileKeySelector VolumeName:string Path:string Key:string Optional:*bool
v1.FlexVolumeSource Driver:string FSType=fsType:string SecretRef:*v1.LocalObjectReference ReadOnly:bool Options:{string,string
v1.FlockerVolumeSource DatasetName:string DatasetUUID:string
v1.GCEPersistentDiskVolumeSource PDName=pdName:string FSType=fsType:string Partition:int32 ReadOnly:bool
v1.GRPCAction Port:int32 Service:*string
v1.GitRepoVolumeSource Repository:string Revision:string Directory:string
v1.GlusterfsVolumeSource EndpointsName=endpoints:string Path:string ReadOnly:bool
v1.HTTPGetAction Path:string Port:intstr.IntOrString Host:string Scheme:v1.URIScheme<string HTTPHeaders=httpHeaders:[]v1.HTTPHeader
v1.HTTPHeader Name:string Value:string
v1.HostAlias IP=ip:string Hostnames:[]string
v1.HostPathVolumeSource Path:string Type:*v1.HostPathType<string
v1.ISCSIVolumeSource TargetPortal:string IQN=iqn:string Lun:int32 ISCSIInterface=iscsiInterface:string FSType=fsType:string ReadOnly:bool Portals:[]string DiscoveryCHAPAuth=chapAuthDiscovery:bool SessionCHAPAuth=chapAuthSession:bool SecretRef:*v1.LocalObjectReference InitiatorName:*string
v1.ImageVolumeSource Reference:string PullPolicy:v1.PullPolicy<string
v1.KeyToPath Key:string Path:string Mode:*int32
v1.LabelSelector MatchLabels:{string,string MatchExpressions:[]v1.LabelSelectorRequirement
v1.LabelSelectorRequirement Key:string Operator:v1.LabelSelectorOperator<string Values:[]string
v1.Lifecycle PostStart:*v1.LifecycleHandler PreStop:*v1.LifecycleHandler StopSignal:*v1.Signal<string
v1.LifecycleHandler Exec:*v1.ExecAction HTTPGet=httpGet:*v1.HTTPGetAction TCPSocket=tcpSocket:*v1.TCPSocketAction Sleep:*v1.SleepAction
v1.LocalObjectReference Name:string
v1.ManagedFieldsEntry Manager:string Operation:v1.ManagedFieldsOperationType<string APIVersion=apiVersion:string Time:*v1.Time FieldsType:string FieldsV1:*v1.FieldsV1 Subresource:string
v1.NFSVolumeSource Server:string Path:string ReadOnly:bool
v1.NodeAffinity RequiredDuringSchedulingIgnoredDuringExecution:*v1.NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[]v1.PreferredSchedulingTerm
v1.NodeSelector NodeSelectorTerms:[]v1.NodeSelectorTerm
v1.NodeSelectorRequirement Key:string Operator:v1.NodeSelectorOperator<string Values:[]string
v1.NodeSelectorTerm MatchExpressions:[]v1.NodeSelectorRequirement MatchFields:[]v1.NodeSelectorRequirement
v1.ObjectFieldSelector APIVersion=apiVersion:string FieldPath:string
v1.ObjectMeta Name:string GenerateName:string Namespace:string SelfLink:string UID=uid:types.UID<string ResourceVersion:string Generation:int64 CreationTimestamp:v1.Time DeletionTimestamp:*v1.Time DeletionGracePeriodSeconds:*int64 Labels:{string,string Annotations:{string,string OwnerReferences:[]v1.OwnerReference Finalizers:[]string ManagedFields:[]v1.ManagedFieldsEntry
v1.OwnerReference APIVersion=apiVersion:string Kind:string Name:string UID=uid:types.UID<string Controller:*bool BlockOwnerDeletion:*bool
v1.PersistentVolumeClaimSpec AccessModes:[]v1.PersistentVolumeAccessMode<string Selector:*v1.LabelSelector Resources:v1.VolumeResourceRequirements VolumeName:string StorageClassName:*string VolumeMode:*v1.PersistentVolumeMode<string DataSource:*v1.TypedLocalObjectReference DataSourceRef:*v1.TypedObjectReference VolumeAttributesClassName:*string
v1.PersistentVolumeClaimTemplate ObjectMeta=metadata:v1.ObjectMeta Spec:v1.PersistentVolumeClaimSpec
v1.PersistentVolumeClaimVolumeSource ClaimName:string ReadOnly:bool
v1.PhotonPersistentDiskVolumeSource PdID:string FSType=fsType:string
v1.PodAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]v1.PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]v1.WeightedPodAffinityTerm
v1.PodAffinityTerm LabelSelector:*v1.LabelSelector Namespaces:[]string TopologyKey:string NamespaceSelector:*v1.LabelSelector MatchLabelKeys:[]string MismatchLabelKeys:[]string
v1.PodAntiAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]v1.PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]v1.WeightedPodAffinityTerm
v1.PodCertificateProjection SignerName:string KeyType:string MaxExpirationSeconds:*int32 CredentialBundlePath:string KeyPath:string CertificateChainPath:string UserAnnotations:{string,string
v1.PodDNSConfig Nameservers:[]string Searches:[]string Options:[]v1.PodDNSConfigOption
v1.PodDNSConfigOption Name:string Value:*string
v1.PodOS Name:v1.OSName<string
v1.PodReadinessGate ConditionType:v1.PodConditionType<string
v1.PodResourceClaim Name:string ResourceClaimName:*string ResourceClaimTemplateName:*string
v1.PodSchedulingGate Name:string
v1.PodSchedulingGroup PodGroupName:*string
v1.PodSecurityContext SELinuxOptions=seLinuxOptions:*v1.SELinuxOptions WindowsOptions:*v1.WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool SupplementalGroups:[]int64 SupplementalGroupsPolicy:*v1.SupplementalGroupsPolicy<string FSGroup=fsGroup:*int64 Sysctls:[]v1.Sysctl FSGroupChangePolicy=fsGroupChangePolicy:*v1.PodFSGroupChangePolicy<string SeccompProfile:*v1.SeccompProfile AppArmorProfile:*v1.AppArmorProfile SELinuxChangePolicy=seLinuxChangePolicy:*v1.PodSELinuxChangePolicy<string
v1.PodSpec Volumes:[]v1.Volume InitContainers:[]v1.Container Containers:[]v1.Container EphemeralContainers:[]v1.EphemeralContainer RestartPolicy:v1.RestartPolicy<string TerminationGracePeriodSeconds:*int64 ActiveDeadlineSeconds:*int64 DNSPolicy=dnsPolicy:v1.DNSPolicy<string NodeSelector:{string,string ServiceAccountName:string DeprecatedServiceAccount=serviceAccount:string AutomountServiceAccountToken:*bool NodeName:string HostNetwork:bool HostPID:bool HostIPC:bool ShareProcessNamespace:*bool SecurityContext:*v1.PodSecurityContext ImagePullSecrets:[]v1.LocalObjectReference Hostname:string Subdomain:string Affinity:*v1.Affinity SchedulerName:string Tolerations:[]v1.Toleration HostAliases:[]v1.HostAlias PriorityClassName:string Priority:*int32 DNSConfig=dnsConfig:*v1.PodDNSConfig ReadinessGates:[]v1.PodReadinessGate RuntimeClassName:*string EnableServiceLinks:*bool PreemptionPolicy:*v1.PreemptionPolicy<string Overhead:v1.ResourceList<{v1.ResourceName<string,resource.Quantity TopologySpreadConstraints:[]v1.TopologySpreadConstraint SetHostnameAsFQDN:*bool OS=os:*v1.PodOS HostUsers:*bool SchedulingGates:[]v1.PodSchedulingGate ResourceClaims:[]v1.PodResourceClaim Resources:*v1.ResourceRequirements HostnameOverride:*string SchedulingGroup:*v1.PodSchedulingGroup
v1.PodTemplateSpec ObjectMeta=metadata:v1.ObjectMeta Spec:v1.PodSpec
v1.PortworxVolumeSource VolumeID:string FSType=fsType:string ReadOnly:bool
v1.PreferredSchedulingTerm Weight:int32 Preference:v1.NodeSelectorTerm
v1.Probe ProbeHandler=@:v1.ProbeHandler InitialDelaySeconds:int32 TimeoutSeconds:int32 PeriodSeconds:int32 SuccessThreshold:int32 FailureThreshold:int32 TerminationGracePeriodSeconds:*int64
v1.ProbeHandler Exec:*v1.ExecAction HTTPGet=httpGet:*v1.HTTPGetAction TCPSocket=tcpSocket:*v1.TCPSocketAction GRPC=grpc:*v1.GRPCAction
v1.ProjectedVolumeSource Sources:[]v1.VolumeProjection DefaultMode:*int32
v1.QuobyteVolumeSource Registry:string Volume:string ReadOnly:bool User:string Group:string Tenant:string
v1.RBDVolumeSource CephMonitors=monitors:[]string RBDImage=image:string FSType=fsType:string RBDPool=pool:string RadosUser=user:string Keyring:string SecretRef:*v1.LocalObjectReference ReadOnly:bool
v1.ResourceClaim Name:string Request:string
v1.ResourceFieldSelector ContainerName:string Resource:string Divisor:resource.Quantity
v1.ResourceRequirements Limits:v1.ResourceList<{v1.ResourceName<string,resource.Quantity Requests:v1.ResourceList<{v1.ResourceName<string,resource.Quantity Claims:[]v1.ResourceClaim
v1.SELinuxOptions User:string Role:string Type:string Level:string
v1.ScaleIOVolumeSource Gateway:string System:string SecretRef:*v1.LocalObjectReference SSLEnabled=sslEnabled:bool ProtectionDomain:string StoragePool:string StorageMode:string VolumeName:string FSType=fsType:string ReadOnly:bool
v1.SeccompProfile Type:v1.SeccompProfileType<string LocalhostProfile:*string
v1.SecretEnvSource LocalObjectReference=@:v1.LocalObjectReference Optional:*bool
v1.SecretKeySelector LocalObjectReference=@:v1.LocalObjectReference Key:string Optional:*bool
v1.SecretProjection LocalObjectReference=@:v1.LocalObjectReference Items:[]v1.KeyToPath Optional:*bool
v1.SecretVolumeSource SecretName:string Items:[]v1.KeyToPath DefaultMode:*int32 Optional:*bool
v1.SecurityContext Capabilities:*v1.Capabilities Privileged:*bool SELinuxOptions=seLinuxOptions:*v1.SELinuxOptions WindowsOptions:*v1.WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool ReadOnlyRootFilesystem:*bool AllowPrivilegeEscalation:*bool ProcMount:*v1.ProcMountType<string SeccompProfile:*v1.SeccompProfile AppArmorProfile:*v1.AppArmorProfile
v1.ServiceAccountTokenProjection Audience:string ExpirationSeconds:*int64 Path:string
v1.SleepAction Seconds:int64
v1.StorageOSVolumeSource VolumeName:string VolumeNamespace:string FSType=fsType:string ReadOnly:bool SecretRef:*v1.LocalObjectReference
v1.Sysctl Name:string Value:string
v1.TCPSocketAction Port:intstr.IntOrString Host:string
v1.Toleration Key:string Operator:v1.TolerationOperator<string Value:string Effect:v1.TaintEffect<string TolerationSeconds:*int64
v1.TopologySpreadConstraint MaxSkew:int32 TopologyKey:string WhenUnsatisfiable:v1.UnsatisfiableConstraintAction<string LabelSelector:*v1.LabelSelector MinDomains:*int32 NodeAffinityPolicy:*v1.NodeInclusionPolicy<string NodeTaintsPolicy:*v1.NodeInclusionPolicy<string MatchLabelKeys:[]string
v1.TypedLocalObjectReference APIGroup=apiGroup:*string Kind:string Name:string
v1.TypedObjectReference APIGroup=apiGroup:*string Kind:string Name:string Namespace:*string
v1.Volume Name:string VolumeSource=@:v1.VolumeSource
v1.VolumeDevice Name:string DevicePath:string
v1.VolumeMount Name:string ReadOnly:bool RecursiveReadOnly:*v1.RecursiveReadOnlyMode<string MountPath:string SubPath:string MountPropagation:*v1.MountPropagationMode<string SubPathExpr:string
v1.VolumeProjection Secret:*v1.SecretProjection DownwardAPI:*v1.DownwardAPIProjection ConfigMap:*v1.ConfigMapProjection ServiceAccountToken:*v1.ServiceAccountTokenProjection ClusterTrustBundle:*v1.ClusterTrustBundleProjection PodCertificate:*v1.PodCertificateProjection
v1.VolumeResourceRequirements Limits:v1.ResourceList<{v1.ResourceName<string,resource.Quantity Requests:v1.ResourceList<{v1.ResourceName<string,resource.Quantity
v1.VolumeSource HostPath:*v1.HostPathVolumeSource EmptyDir:*v1.EmptyDirVolumeSource GCEPersistentDisk=gcePersistentDisk:*v1.GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*v1.AWSElasticBlockStoreVolumeSource GitRepo:*v1.GitRepoVolumeSource Secret:*v1.SecretVolumeSource NFS=nfs:*v1.NFSVolumeSource ISCSI=iscsi:*v1.ISCSIVolumeSource Glusterfs:*v1.GlusterfsVolumeSource PersistentVolumeClaim:*v1.PersistentVolumeClaimVolumeSource RBD=rbd:*v1.RBDVolumeSource FlexVolume:*v1.FlexVolumeSource Cinder:*v1.CinderVolumeSource CephFS=cephfs:*v1.CephFSVolumeSource Flocker:*v1.FlockerVolumeSource DownwardAPI:*v1.DownwardAPIVolumeSource FC=fc:*v1.FCVolumeSource AzureFile:*v1.AzureFileVolumeSource ConfigMap:*v1.ConfigMapVolumeSource VsphereVolume:*v1.VsphereVirtualDiskVolumeSource Quobyte:*v1.QuobyteVolumeSource AzureDisk:*v1.AzureDiskVolumeSource PhotonPersistentDisk:*v1.PhotonPersistentDiskVolumeSource Projected:*v1.ProjectedVolumeSource PortworxVolume:*v1.PortworxVolumeSource ScaleIO:*v1.ScaleIOVolumeSource StorageOS=storageos:*v1.StorageOSVolumeSource CSI=csi:*v1.CSIVolumeSource Ephemeral:*v1.EphemeralVolumeSource Image:*v1.ImageVolumeSource
v1.VsphereVirtualDiskVolumeSource VolumePath:string FSType=fsType:string StoragePolicyName:string StoragePolicyID:string
v1.WeightedPodAffinityTerm Weight:int32 PodAffinityTerm:v1.PodAffinityTerm
v1.WindowsSecurityContextOptions GMSACredentialSpecName=gmsaCredentialSpecName:*string GMSACredentialSpec=gmsaCredentialSpec:*string RunAsUserName:*string HostProcess:*bool
`;
