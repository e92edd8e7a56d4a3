// Published facts of Kubernetes v1.36 API types, one type a block, one field a line: JSON name, protobuf number,
// type, markers. Written by tools/facts; the notation is explained in ../schema/parse-facts.ts.
export const KUBERNETES_TYPES = `
admissionregistration/v1.ApplyConfiguration
 expression 1 string
admissionregistration/v1.AuditAnnotation
 key 1 string always required
 valueExpression 2 string always required
admissionregistration/v1.ExpressionWarning
 fieldRef 2 string always required
 warning 3 string always required
admissionregistration/v1.JSONPatch
 expression 1 string
admissionregistration/v1.MatchCondition
 name 1 string always required
 expression 2 string always required
admissionregistration/v1.MatchResources atomic
 namespaceSelector 1 *meta/v1.LabelSelector
 objectSelector 2 *meta/v1.LabelSelector
 resourceRules 3 []admissionregistration/v1.NamedRuleWithOperations list=atomic
 excludeResourceRules 4 []admissionregistration/v1.NamedRuleWithOperations list=atomic
 matchPolicy 7 *string as=v1.MatchPolicyType
admissionregistration/v1.MutatingAdmissionPolicy typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 admissionregistration/v1.MutatingAdmissionPolicySpec
admissionregistration/v1.MutatingAdmissionPolicyBinding typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 admissionregistration/v1.MutatingAdmissionPolicyBindingSpec
admissionregistration/v1.MutatingAdmissionPolicyBindingList typed
 metadata 1 meta/v1.ListMeta
 items 2 []admissionregistration/v1.MutatingAdmissionPolicyBinding always required
admissionregistration/v1.MutatingAdmissionPolicyBindingSpec
 policyName 1 string
 paramRef 2 *admissionregistration/v1.ParamRef
 matchResources 3 *admissionregistration/v1.MatchResources
admissionregistration/v1.MutatingAdmissionPolicyList typed
 metadata 1 meta/v1.ListMeta
 items 2 []admissionregistration/v1.MutatingAdmissionPolicy always required
admissionregistration/v1.MutatingAdmissionPolicySpec
 paramKind 1 *admissionregistration/v1.ParamKind
 matchConstraints 2 *admissionregistration/v1.MatchResources
 variables 3 []admissionregistration/v1.Variable list=atomic
 mutations 4 []admissionregistration/v1.Mutation list=atomic
 failurePolicy 5 *string as=v1.FailurePolicyType
 matchConditions 6 []admissionregistration/v1.MatchCondition list=map(name) patch=merge mergekey=name
 reinvocationPolicy 7 string as=v1.ReinvocationPolicyType
admissionregistration/v1.MutatingWebhook
 name 1 string always required
 clientConfig 2 admissionregistration/v1.WebhookClientConfig always required
 rules 3 []admissionregistration/v1.RuleWithOperations list=atomic
 failurePolicy 4 *string as=v1.FailurePolicyType
 matchPolicy 9 *string as=v1.MatchPolicyType
 namespaceSelector 5 *meta/v1.LabelSelector
 objectSelector 11 *meta/v1.LabelSelector
 sideEffects 6 *string always required as=v1.SideEffectClass
 timeoutSeconds 7 *int32
 admissionReviewVersions 8 []string always required list=atomic
 reinvocationPolicy 10 *string as=v1.ReinvocationPolicyType
 matchConditions 12 []admissionregistration/v1.MatchCondition list=map(name) patch=merge mergekey=name
admissionregistration/v1.MutatingWebhookConfiguration typed
 metadata 1 meta/v1.ObjectMeta
 webhooks 2 []admissionregistration/v1.MutatingWebhook list=map(name) patch=merge mergekey=name
admissionregistration/v1.MutatingWebhookConfigurationList typed
 metadata 1 meta/v1.ListMeta
 items 2 []admissionregistration/v1.MutatingWebhookConfiguration always required
admissionregistration/v1.Mutation
 patchType 2 string always required as=v1.PatchType
 applyConfiguration 3 *admissionregistration/v1.ApplyConfiguration
 jsonPatch 4 *admissionregistration/v1.JSONPatch
admissionregistration/v1.NamedRuleWithOperations atomic
 resourceNames 1 []string list=atomic
 ~ 2 admissionregistration/v1.RuleWithOperations
admissionregistration/v1.ParamKind atomic
 apiVersion 1 string
 kind 2 string
admissionregistration/v1.ParamRef atomic
 name 1 string
 namespace 2 string
 selector 3 *meta/v1.LabelSelector
 parameterNotFoundAction 4 *string as=v1.ParameterNotFoundActionType
admissionregistration/v1.Rule
 apiGroups 1 []string
 apiVersions 2 []string
 resources 3 []string
 scope 4 *string as=v1.ScopeType
admissionregistration/v1.RuleWithOperations
 operations 1 []string list=atomic as=[]v1.OperationType
 ~ 2 admissionregistration/v1.Rule
admissionregistration/v1.ServiceReference
 namespace 1 string always required
 name 2 string always required
 path 3 *string
 port 4 *int32
admissionregistration/v1.TypeChecking
 expressionWarnings 1 []admissionregistration/v1.ExpressionWarning list=atomic
admissionregistration/v1.ValidatingAdmissionPolicy typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 admissionregistration/v1.ValidatingAdmissionPolicySpec
 status 3 admissionregistration/v1.ValidatingAdmissionPolicyStatus
admissionregistration/v1.ValidatingAdmissionPolicyBinding typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec required
admissionregistration/v1.ValidatingAdmissionPolicyBindingList typed
 metadata 1 meta/v1.ListMeta
 items 2 []admissionregistration/v1.ValidatingAdmissionPolicyBinding always required
admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec
 policyName 1 string required
 paramRef 2 *admissionregistration/v1.ParamRef
 matchResources 3 *admissionregistration/v1.MatchResources
 validationActions 4 []string required list=set as=[]v1.ValidationAction
admissionregistration/v1.ValidatingAdmissionPolicyList typed
 metadata 1 meta/v1.ListMeta
 items 2 []admissionregistration/v1.ValidatingAdmissionPolicy always required
admissionregistration/v1.ValidatingAdmissionPolicySpec
 paramKind 1 *admissionregistration/v1.ParamKind
 matchConstraints 2 *admissionregistration/v1.MatchResources
 validations 3 []admissionregistration/v1.Validation list=atomic
 failurePolicy 4 *string as=v1.FailurePolicyType
 auditAnnotations 5 []admissionregistration/v1.AuditAnnotation list=atomic
 matchConditions 6 []admissionregistration/v1.MatchCondition list=map(name) patch=merge mergekey=name
 variables 7 []admissionregistration/v1.Variable list=map(name) patch=merge mergekey=name
admissionregistration/v1.ValidatingAdmissionPolicyStatus
 observedGeneration 1 int64
 typeChecking 2 *admissionregistration/v1.TypeChecking
 conditions 3 []meta/v1.Condition list=map(type)
admissionregistration/v1.ValidatingWebhook
 name 1 string always required
 clientConfig 2 admissionregistration/v1.WebhookClientConfig always required
 rules 3 []admissionregistration/v1.RuleWithOperations list=atomic
 failurePolicy 4 *string as=v1.FailurePolicyType
 matchPolicy 9 *string as=v1.MatchPolicyType
 namespaceSelector 5 *meta/v1.LabelSelector
 objectSelector 10 *meta/v1.LabelSelector
 sideEffects 6 *string always required as=v1.SideEffectClass
 timeoutSeconds 7 *int32
 admissionReviewVersions 8 []string always required list=atomic
 matchConditions 11 []admissionregistration/v1.MatchCondition list=map(name) patch=merge mergekey=name
admissionregistration/v1.ValidatingWebhookConfiguration typed
 metadata 1 meta/v1.ObjectMeta
 webhooks 2 []admissionregistration/v1.ValidatingWebhook list=map(name) patch=merge mergekey=name
admissionregistration/v1.ValidatingWebhookConfigurationList typed
 metadata 1 meta/v1.ListMeta
 items 2 []admissionregistration/v1.ValidatingWebhookConfiguration always required
admissionregistration/v1.Validation
 expression 1 string always required
 message 2 string
 reason 3 *string as=v1.StatusReason
 messageExpression 4 string
admissionregistration/v1.Variable atomic
 name 1 string always required
 expression 2 string always required
admissionregistration/v1.WebhookClientConfig
 url 3 *string
 service 1 *admissionregistration/v1.ServiceReference
 caBundle 2 bytes
apiextensions/v1.ConversionRequest
 uid 1 string always as=types.UID
 desiredAPIVersion 2 string always
 objects 3 []raw always
apiextensions/v1.ConversionResponse
 uid 1 string always as=types.UID
 convertedObjects 2 []raw always
 result 3 meta/v1.Status always
apiextensions/v1.ConversionReview typed
 request 1 *apiextensions/v1.ConversionRequest
 response 2 *apiextensions/v1.ConversionResponse
apiextensions/v1.CustomResourceColumnDefinition
 name 1 string always required
 type 2 string always required
 format 3 string
 description 4 string
 priority 5 int32
 jsonPath 6 string always required
apiextensions/v1.CustomResourceConversion
 strategy 1 string always required as=v1.ConversionStrategyType
 webhook 2 *apiextensions/v1.WebhookConversion
apiextensions/v1.CustomResourceDefinition typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 apiextensions/v1.CustomResourceDefinitionSpec always required
 status 3 apiextensions/v1.CustomResourceDefinitionStatus
apiextensions/v1.CustomResourceDefinitionCondition
 type 1 string always required as=v1.CustomResourceDefinitionConditionType
 status 2 string always required as=v1.ConditionStatus
 lastTransitionTime 3 time
 reason 4 string
 message 5 string
 observedGeneration 6 int64
apiextensions/v1.CustomResourceDefinitionList typed
 metadata 1 meta/v1.ListMeta
 items 2 []apiextensions/v1.CustomResourceDefinition always required
apiextensions/v1.CustomResourceDefinitionNames
 plural 1 string always required
 singular 2 string
 shortNames 3 []string list=atomic
 kind 4 string always required
 listKind 5 string
 categories 6 []string list=atomic
apiextensions/v1.CustomResourceDefinitionSpec
 group 1 string always required
 names 3 apiextensions/v1.CustomResourceDefinitionNames always required
 scope 4 string always required as=v1.ResourceScope
 versions 7 []apiextensions/v1.CustomResourceDefinitionVersion always required list=atomic
 conversion 9 *apiextensions/v1.CustomResourceConversion
 preserveUnknownFields 10 bool
apiextensions/v1.CustomResourceDefinitionStatus
 conditions 1 []apiextensions/v1.CustomResourceDefinitionCondition always list=map(type)
 acceptedNames 2 apiextensions/v1.CustomResourceDefinitionNames always
 storedVersions 3 []string always list=atomic
 observedGeneration 4 int64
apiextensions/v1.CustomResourceDefinitionVersion
 name 1 string always required
 served 2 bool always required
 storage 3 bool always required
 deprecated 7 bool
 deprecationWarning 8 *string
 schema 4 *apiextensions/v1.CustomResourceValidation
 subresources 5 *apiextensions/v1.CustomResourceSubresources
 additionalPrinterColumns 6 []apiextensions/v1.CustomResourceColumnDefinition list=atomic
 selectableFields 9 []apiextensions/v1.SelectableField list=atomic
apiextensions/v1.CustomResourceSubresourceScale
 specReplicasPath 1 string always required
 statusReplicasPath 2 string always required
 labelSelectorPath 3 *string
apiextensions/v1.CustomResourceSubresourceStatus
apiextensions/v1.CustomResourceSubresources
 status 1 *apiextensions/v1.CustomResourceSubresourceStatus
 scale 2 *apiextensions/v1.CustomResourceSubresourceScale
apiextensions/v1.CustomResourceValidation
 openAPIV3Schema 1 *apiextensions/v1.JSONSchemaProps
apiextensions/v1.ExternalDocumentation
 description 1 string
 url 2 string
apiextensions/v1.JSONSchemaProps
 id 1 string
 $schema 2 string as=v1.JSONSchemaURL
 $ref 3 *string
 description 4 string
 type 5 string
 format 6 string
 title 7 string
 default 8 *json
 maximum 9 *double
 exclusiveMaximum 10 bool
 minimum 11 *double
 exclusiveMinimum 12 bool
 maxLength 13 *int64
 minLength 14 *int64
 pattern 15 string
 maxItems 16 *int64
 minItems 17 *int64
 uniqueItems 18 bool
 multipleOf 19 *double
 enum 20 []json list=atomic
 maxProperties 21 *int64
 minProperties 22 *int64
 required 23 []string list=atomic
 items 24 *schemaorarray
 allOf 25 []apiextensions/v1.JSONSchemaProps list=atomic
 oneOf 26 []apiextensions/v1.JSONSchemaProps list=atomic
 anyOf 27 []apiextensions/v1.JSONSchemaProps list=atomic
 not 28 *apiextensions/v1.JSONSchemaProps
 properties 29 {}apiextensions/v1.JSONSchemaProps
 additionalProperties 30 *schemaorbool
 patternProperties 31 {}apiextensions/v1.JSONSchemaProps
 dependencies 32 {}schemaorstrings as=v1.JSONSchemaDependencies
 additionalItems 33 *schemaorbool
 definitions 34 {}apiextensions/v1.JSONSchemaProps as=v1.JSONSchemaDefinitions
 externalDocs 35 *apiextensions/v1.ExternalDocumentation
 example 36 *json
 nullable 37 bool
 x-kubernetes-preserve-unknown-fields 38 *bool
 x-kubernetes-embedded-resource 39 bool
 x-kubernetes-int-or-string 40 bool
 x-kubernetes-list-map-keys 41 []string list=atomic
 x-kubernetes-list-type 42 *string
 x-kubernetes-map-type 43 *string
 x-kubernetes-validations 44 []apiextensions/v1.ValidationRule list=map(rule) patch=merge mergekey=rule as=v1.ValidationRules
apiextensions/v1.SelectableField
 jsonPath 1 string always required
apiextensions/v1.ServiceReference
 namespace 1 string always required
 name 2 string always required
 path 3 *string
 port 4 *int32
apiextensions/v1.ValidationRule
 rule 1 string always required
 message 2 string
 messageExpression 3 string
 reason 4 *string as=v1.FieldValueErrorReason
 fieldPath 5 string
 optionalOldSelf 6 *bool
apiextensions/v1.WebhookClientConfig
 url 3 *string
 service 1 *apiextensions/v1.ServiceReference
 caBundle 2 bytes
apiextensions/v1.WebhookConversion
 clientConfig 2 *apiextensions/v1.WebhookClientConfig
 conversionReviewVersions 3 []string always required list=atomic
apiregistration/v1.APIService typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 apiregistration/v1.APIServiceSpec
 status 3 apiregistration/v1.APIServiceStatus
apiregistration/v1.APIServiceCondition
 type 1 string always required as=v1.APIServiceConditionType
 status 2 string always required as=v1.ConditionStatus
 lastTransitionTime 3 time
 reason 4 string
 message 5 string
apiregistration/v1.APIServiceList typed
 metadata 1 meta/v1.ListMeta
 items 2 []apiregistration/v1.APIService always required
apiregistration/v1.APIServiceSpec
 service 1 *apiregistration/v1.ServiceReference
 group 2 string
 version 3 string
 insecureSkipTLSVerify 4 bool
 caBundle 5 bytes list=atomic
 groupPriorityMinimum 7 int32 always required
 versionPriority 8 int32 always required
apiregistration/v1.APIServiceStatus
 conditions 1 []apiregistration/v1.APIServiceCondition list=map(type) patch=merge mergekey=type
apiregistration/v1.ServiceReference
 namespace 1 string
 name 2 string
 port 3 *int32
apps/v1.ControllerRevision typed
 metadata 1 meta/v1.ObjectMeta
 data 2 raw
 revision 3 int64 always required
apps/v1.ControllerRevisionList typed
 metadata 1 meta/v1.ListMeta
 items 2 []apps/v1.ControllerRevision always required
apps/v1.DaemonSet typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 apps/v1.DaemonSetSpec
 status 3 apps/v1.DaemonSetStatus
apps/v1.DaemonSetCondition
 type 1 string always required as=v1.DaemonSetConditionType
 status 2 string always required as=v1.ConditionStatus
 lastTransitionTime 3 time
 reason 4 string
 message 5 string
apps/v1.DaemonSetList typed
 metadata 1 meta/v1.ListMeta
 items 2 []apps/v1.DaemonSet always required
apps/v1.DaemonSetSpec
 selector 1 *meta/v1.LabelSelector always required
 template 2 core/v1.PodTemplateSpec always required
 updateStrategy 3 apps/v1.DaemonSetUpdateStrategy
 minReadySeconds 4 int32
 revisionHistoryLimit 6 *int32
apps/v1.DaemonSetStatus
 currentNumberScheduled 1 int32 always required
 numberMisscheduled 2 int32 always required
 desiredNumberScheduled 3 int32 always required
 numberReady 4 int32 always required
 observedGeneration 5 int64
 updatedNumberScheduled 6 int32
 numberAvailable 7 int32
 numberUnavailable 8 int32
 collisionCount 9 *int32
 conditions 10 []apps/v1.DaemonSetCondition list=map(type) patch=merge mergekey=type
apps/v1.DaemonSetUpdateStrategy
 type 1 string as=v1.DaemonSetUpdateStrategyType
 rollingUpdate 2 *apps/v1.RollingUpdateDaemonSet
apps/v1.Deployment typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 apps/v1.DeploymentSpec
 status 3 apps/v1.DeploymentStatus
apps/v1.DeploymentCondition
 type 1 string always required as=v1.DeploymentConditionType
 status 2 string always required as=v1.ConditionStatus
 lastUpdateTime 6 time
 lastTransitionTime 7 time
 reason 4 string
 message 5 string
apps/v1.DeploymentList typed
 metadata 1 meta/v1.ListMeta
 items 2 []apps/v1.Deployment always required
apps/v1.DeploymentSpec
 replicas 1 *int32
 selector 2 *meta/v1.LabelSelector always required
 template 3 core/v1.PodTemplateSpec always required
 strategy 4 apps/v1.DeploymentStrategy patch=retainKeys
 minReadySeconds 5 int32
 revisionHistoryLimit 6 *int32
 paused 7 bool
 progressDeadlineSeconds 9 *int32
apps/v1.DeploymentStatus
 observedGeneration 1 int64
 replicas 2 int32
 updatedReplicas 3 int32
 readyReplicas 7 int32
 availableReplicas 4 int32
 unavailableReplicas 5 int32
 terminatingReplicas 9 *int32
 conditions 6 []apps/v1.DeploymentCondition list=map(type) patch=merge mergekey=type
 collisionCount 8 *int32
apps/v1.DeploymentStrategy
 type 1 string as=v1.DeploymentStrategyType
 rollingUpdate 2 *apps/v1.RollingUpdateDeployment
apps/v1.ReplicaSet typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 apps/v1.ReplicaSetSpec
 status 3 apps/v1.ReplicaSetStatus
apps/v1.ReplicaSetCondition
 type 1 string always required as=v1.ReplicaSetConditionType
 status 2 string always required as=v1.ConditionStatus
 lastTransitionTime 3 time
 reason 4 string
 message 5 string
apps/v1.ReplicaSetList typed
 metadata 1 meta/v1.ListMeta
 items 2 []apps/v1.ReplicaSet always required
apps/v1.ReplicaSetSpec
 replicas 1 *int32
 minReadySeconds 4 int32
 selector 2 *meta/v1.LabelSelector always required
 template 3 core/v1.PodTemplateSpec
apps/v1.ReplicaSetStatus
 replicas 1 int32 always required
 fullyLabeledReplicas 2 int32
 readyReplicas 4 int32
 availableReplicas 5 int32
 terminatingReplicas 7 *int32
 observedGeneration 3 int64
 conditions 6 []apps/v1.ReplicaSetCondition list=map(type) patch=merge mergekey=type
apps/v1.RollingUpdateDaemonSet
 maxUnavailable 1 *intorstring
 maxSurge 2 *intorstring
apps/v1.RollingUpdateDeployment
 maxUnavailable 1 *intorstring
 maxSurge 2 *intorstring
apps/v1.RollingUpdateStatefulSetStrategy
 partition 1 *int32
 maxUnavailable 2 *intorstring
apps/v1.StatefulSet typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 apps/v1.StatefulSetSpec
 status 3 apps/v1.StatefulSetStatus
apps/v1.StatefulSetCondition
 type 1 string always required as=v1.StatefulSetConditionType
 status 2 string always required as=v1.ConditionStatus
 lastTransitionTime 3 time
 reason 4 string
 message 5 string
apps/v1.StatefulSetList typed
 metadata 1 meta/v1.ListMeta
 items 2 []apps/v1.StatefulSet always required
apps/v1.StatefulSetOrdinals
 start 1 int32 always
apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy
 whenDeleted 1 string as=v1.PersistentVolumeClaimRetentionPolicyType
 whenScaled 2 string as=v1.PersistentVolumeClaimRetentionPolicyType
apps/v1.StatefulSetSpec
 replicas 1 *int32
 selector 2 *meta/v1.LabelSelector always required
 template 3 core/v1.PodTemplateSpec always required
 volumeClaimTemplates 4 []core/v1.PersistentVolumeClaim list=atomic
 serviceName 5 string always
 podManagementPolicy 6 string as=v1.PodManagementPolicyType
 updateStrategy 7 apps/v1.StatefulSetUpdateStrategy
 revisionHistoryLimit 8 *int32
 minReadySeconds 9 int32
 persistentVolumeClaimRetentionPolicy 10 *apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy
 ordinals 11 *apps/v1.StatefulSetOrdinals
apps/v1.StatefulSetStatus
 observedGeneration 1 int64
 replicas 2 int32 always required
 readyReplicas 3 int32
 currentReplicas 4 int32
 updatedReplicas 5 int32
 currentRevision 6 string
 updateRevision 7 string
 collisionCount 9 *int32
 conditions 10 []apps/v1.StatefulSetCondition list=map(type) patch=merge mergekey=type
 availableReplicas 11 int32 always
apps/v1.StatefulSetUpdateStrategy
 type 1 string as=v1.StatefulSetUpdateStrategyType
 rollingUpdate 2 *apps/v1.RollingUpdateStatefulSetStrategy
authentication/v1.BoundObjectReference
 kind 1 string
 apiVersion 2 string
 name 3 string
 uid 4 string as=types.UID
authentication/v1.SelfSubjectReview typed
 metadata 1 meta/v1.ObjectMeta
 status 2 authentication/v1.SelfSubjectReviewStatus
authentication/v1.SelfSubjectReviewStatus
 userInfo 1 authentication/v1.UserInfo
authentication/v1.TokenRequest typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 authentication/v1.TokenRequestSpec always
 status 3 authentication/v1.TokenRequestStatus
authentication/v1.TokenRequestSpec
 audiences 1 []string always list=atomic
 expirationSeconds 4 *int64 always
 boundObjectRef 3 *authentication/v1.BoundObjectReference always
authentication/v1.TokenRequestStatus
 token 1 string always
 expirationTimestamp 2 time always
authentication/v1.TokenReview typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 authentication/v1.TokenReviewSpec always required
 status 3 authentication/v1.TokenReviewStatus
authentication/v1.TokenReviewSpec
 token 1 string required
 audiences 2 []string list=atomic
authentication/v1.TokenReviewStatus
 authenticated 1 bool
 user 2 authentication/v1.UserInfo
 audiences 4 []string list=atomic
 error 3 string
authentication/v1.UserInfo
 username 1 string
 uid 2 string
 groups 3 []string list=atomic
 extra 4 {}items<string> as=map[string]v1.ExtraValue
authorization/v1.FieldSelectorAttributes
 rawSelector 1 string
 requirements 2 []meta/v1.FieldSelectorRequirement list=atomic
authorization/v1.LabelSelectorAttributes
 rawSelector 1 string
 requirements 2 []meta/v1.LabelSelectorRequirement list=atomic
authorization/v1.LocalSubjectAccessReview typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 authorization/v1.SubjectAccessReviewSpec always required
 status 3 authorization/v1.SubjectAccessReviewStatus
authorization/v1.NonResourceAttributes
 path 1 string
 verb 2 string
authorization/v1.NonResourceRule
 verbs 1 []string always required list=atomic
 nonResourceURLs 2 []string list=atomic
authorization/v1.ResourceAttributes
 namespace 1 string
 verb 2 string
 group 3 string
 version 4 string
 resource 5 string
 subresource 6 string
 name 7 string
 fieldSelector 8 *authorization/v1.FieldSelectorAttributes
 labelSelector 9 *authorization/v1.LabelSelectorAttributes
authorization/v1.ResourceRule
 verbs 1 []string always required list=atomic
 apiGroups 2 []string list=atomic
 resources 3 []string list=atomic
 resourceNames 4 []string list=atomic
authorization/v1.SelfSubjectAccessReview typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 authorization/v1.SelfSubjectAccessReviewSpec always required
 status 3 authorization/v1.SubjectAccessReviewStatus
authorization/v1.SelfSubjectAccessReviewSpec
 resourceAttributes 1 *authorization/v1.ResourceAttributes
 nonResourceAttributes 2 *authorization/v1.NonResourceAttributes
authorization/v1.SelfSubjectRulesReview typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 authorization/v1.SelfSubjectRulesReviewSpec always required
 status 3 authorization/v1.SubjectRulesReviewStatus
authorization/v1.SelfSubjectRulesReviewSpec
 namespace 1 string
authorization/v1.SubjectAccessReview typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 authorization/v1.SubjectAccessReviewSpec always required
 status 3 authorization/v1.SubjectAccessReviewStatus
authorization/v1.SubjectAccessReviewSpec
 resourceAttributes 1 *authorization/v1.ResourceAttributes
 nonResourceAttributes 2 *authorization/v1.NonResourceAttributes
 user 3 string
 groups 4 []string list=atomic
 extra 5 {}items<string> as=map[string]v1.ExtraValue
 uid 6 string
authorization/v1.SubjectAccessReviewStatus
 allowed 1 bool always required
 denied 4 bool
 reason 2 string
 evaluationError 3 string
authorization/v1.SubjectRulesReviewStatus
 resourceRules 1 []authorization/v1.ResourceRule always required list=atomic
 nonResourceRules 2 []authorization/v1.NonResourceRule always required list=atomic
 incomplete 3 bool always required
 evaluationError 4 string
autoscaling/v1.CrossVersionObjectReference atomic
 kind 1 string always required
 name 2 string always required
 apiVersion 3 string
autoscaling/v1.HorizontalPodAutoscaler typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 autoscaling/v1.HorizontalPodAutoscalerSpec required
 status 3 autoscaling/v1.HorizontalPodAutoscalerStatus
autoscaling/v1.HorizontalPodAutoscalerList typed
 metadata 1 meta/v1.ListMeta
 items 2 []autoscaling/v1.HorizontalPodAutoscaler always required
autoscaling/v1.HorizontalPodAutoscalerSpec
 scaleTargetRef 1 autoscaling/v1.CrossVersionObjectReference always required
 minReplicas 2 *int32
 maxReplicas 3 int32 always required
 targetCPUUtilizationPercentage 4 *int32
autoscaling/v1.HorizontalPodAutoscalerStatus
 observedGeneration 1 *int64
 lastScaleTime 2 *time
 currentReplicas 3 int32 always required
 desiredReplicas 4 int32 always required
 currentCPUUtilizationPercentage 5 *int32
autoscaling/v1.Scale typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 autoscaling/v1.ScaleSpec
 status 3 autoscaling/v1.ScaleStatus
autoscaling/v1.ScaleSpec
 replicas 1 int32
autoscaling/v1.ScaleStatus
 replicas 1 int32 always required
 selector 2 string
autoscaling/v2.ContainerResourceMetricSource
 name 1 string always required as=v1.ResourceName
 target 2 autoscaling/v2.MetricTarget always required
 container 3 string always required
autoscaling/v2.ContainerResourceMetricStatus
 name 1 string always required as=v1.ResourceName
 current 2 autoscaling/v2.MetricValueStatus always required
 container 3 string always required
autoscaling/v2.CrossVersionObjectReference
 kind 1 string always required
 name 2 string always required
 apiVersion 3 string
autoscaling/v2.ExternalMetricSource
 metric 1 autoscaling/v2.MetricIdentifier always required
 target 2 autoscaling/v2.MetricTarget always required
autoscaling/v2.ExternalMetricStatus
 metric 1 autoscaling/v2.MetricIdentifier always required
 current 2 autoscaling/v2.MetricValueStatus always required
autoscaling/v2.HPAScalingPolicy
 type 1 string always required as=v2.HPAScalingPolicyType
 value 2 int32 always required
 periodSeconds 3 int32 always required
autoscaling/v2.HPAScalingRules
 stabilizationWindowSeconds 3 *int32
 selectPolicy 1 *string as=v2.ScalingPolicySelect
 policies 2 []autoscaling/v2.HPAScalingPolicy list=atomic
 tolerance 4 *quantity
autoscaling/v2.HorizontalPodAutoscaler typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 autoscaling/v2.HorizontalPodAutoscalerSpec required
 status 3 autoscaling/v2.HorizontalPodAutoscalerStatus
autoscaling/v2.HorizontalPodAutoscalerBehavior
 scaleUp 1 *autoscaling/v2.HPAScalingRules
 scaleDown 2 *autoscaling/v2.HPAScalingRules
autoscaling/v2.HorizontalPodAutoscalerCondition
 type 1 string always required as=v2.HorizontalPodAutoscalerConditionType
 status 2 string always required as=v1.ConditionStatus
 lastTransitionTime 3 time
 reason 4 string
 message 5 string
autoscaling/v2.HorizontalPodAutoscalerList typed
 metadata 1 meta/v1.ListMeta
 items 2 []autoscaling/v2.HorizontalPodAutoscaler always required
autoscaling/v2.HorizontalPodAutoscalerSpec
 scaleTargetRef 1 autoscaling/v2.CrossVersionObjectReference always required
 minReplicas 2 *int32
 maxReplicas 3 int32 always required
 metrics 4 []autoscaling/v2.MetricSpec list=atomic
 behavior 5 *autoscaling/v2.HorizontalPodAutoscalerBehavior
autoscaling/v2.HorizontalPodAutoscalerStatus
 observedGeneration 1 *int64
 lastScaleTime 2 *time
 currentReplicas 3 int32
 desiredReplicas 4 int32 always required
 currentMetrics 5 []autoscaling/v2.MetricStatus always list=atomic
 conditions 6 []autoscaling/v2.HorizontalPodAutoscalerCondition list=map(type) patch=merge mergekey=type
autoscaling/v2.MetricIdentifier
 name 1 string always required
 selector 2 *meta/v1.LabelSelector
autoscaling/v2.MetricSpec
 type 1 string always required as=v2.MetricSourceType
 object 2 *autoscaling/v2.ObjectMetricSource
 pods 3 *autoscaling/v2.PodsMetricSource
 resource 4 *autoscaling/v2.ResourceMetricSource
 containerResource 7 *autoscaling/v2.ContainerResourceMetricSource
 external 5 *autoscaling/v2.ExternalMetricSource
autoscaling/v2.MetricStatus
 type 1 string always required as=v2.MetricSourceType
 object 2 *autoscaling/v2.ObjectMetricStatus
 pods 3 *autoscaling/v2.PodsMetricStatus
 resource 4 *autoscaling/v2.ResourceMetricStatus
 containerResource 7 *autoscaling/v2.ContainerResourceMetricStatus
 external 5 *autoscaling/v2.ExternalMetricStatus
autoscaling/v2.MetricTarget
 type 1 string always required as=v2.MetricTargetType
 value 2 *quantity
 averageValue 3 *quantity
 averageUtilization 4 *int32
autoscaling/v2.MetricValueStatus
 value 1 *quantity
 averageValue 2 *quantity
 averageUtilization 3 *int32
autoscaling/v2.ObjectMetricSource
 describedObject 1 autoscaling/v2.CrossVersionObjectReference always required
 target 2 autoscaling/v2.MetricTarget always required
 metric 3 autoscaling/v2.MetricIdentifier always required
autoscaling/v2.ObjectMetricStatus
 metric 1 autoscaling/v2.MetricIdentifier always required
 current 2 autoscaling/v2.MetricValueStatus always required
 describedObject 3 autoscaling/v2.CrossVersionObjectReference always required
autoscaling/v2.PodsMetricSource
 metric 1 autoscaling/v2.MetricIdentifier always required
 target 2 autoscaling/v2.MetricTarget always required
autoscaling/v2.PodsMetricStatus
 metric 1 autoscaling/v2.MetricIdentifier always required
 current 2 autoscaling/v2.MetricValueStatus always required
autoscaling/v2.ResourceMetricSource
 name 1 string always required as=v1.ResourceName
 target 2 autoscaling/v2.MetricTarget always required
autoscaling/v2.ResourceMetricStatus
 name 1 string always required as=v1.ResourceName
 current 2 autoscaling/v2.MetricValueStatus always required
batch/v1.CronJob typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 batch/v1.CronJobSpec required
 status 3 batch/v1.CronJobStatus
batch/v1.CronJobList typed
 metadata 1 meta/v1.ListMeta
 items 2 []batch/v1.CronJob always required
batch/v1.CronJobSpec
 schedule 1 string always required
 timeZone 8 *string
 startingDeadlineSeconds 2 *int64
 concurrencyPolicy 3 string as=v1.ConcurrencyPolicy
 suspend 4 *bool
 jobTemplate 5 batch/v1.JobTemplateSpec always required
 successfulJobsHistoryLimit 6 *int32
 failedJobsHistoryLimit 7 *int32
batch/v1.CronJobStatus
 active 1 []core/v1.ObjectReference list=atomic
 lastScheduleTime 4 *time
 lastSuccessfulTime 5 *time
batch/v1.Job typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 batch/v1.JobSpec
 status 3 batch/v1.JobStatus
batch/v1.JobCondition
 type 1 string always required as=v1.JobConditionType
 status 2 string always required as=v1.ConditionStatus
 lastProbeTime 3 time
 lastTransitionTime 4 time
 reason 5 string
 message 6 string
batch/v1.JobList typed
 metadata 1 meta/v1.ListMeta
 items 2 []batch/v1.Job always required
batch/v1.JobSpec
 parallelism 1 *int32
 completions 2 *int32
 activeDeadlineSeconds 3 *int64
 podFailurePolicy 11 *batch/v1.PodFailurePolicy
 successPolicy 16 *batch/v1.SuccessPolicy
 backoffLimit 7 *int32
 backoffLimitPerIndex 12 *int32
 maxFailedIndexes 13 *int32
 selector 4 *meta/v1.LabelSelector
 manualSelector 5 *bool
 template 6 core/v1.PodTemplateSpec always required
 ttlSecondsAfterFinished 8 *int32
 completionMode 9 *string as=v1.CompletionMode
 suspend 10 *bool
 podReplacementPolicy 14 *string as=v1.PodReplacementPolicy
 managedBy 15 *string
batch/v1.JobStatus
 conditions 1 []batch/v1.JobCondition list=atomic patch=merge mergekey=type
 startTime 2 *time
 completionTime 3 *time
 active 4 int32
 succeeded 5 int32
 failed 6 int32
 terminating 11 *int32
 completedIndexes 7 string
 failedIndexes 10 *string
 uncountedTerminatedPods 8 *batch/v1.UncountedTerminatedPods
 ready 9 *int32
batch/v1.JobTemplateSpec
 metadata 1 meta/v1.ObjectMeta
 spec 2 batch/v1.JobSpec
batch/v1.PodFailurePolicy
 rules 1 []batch/v1.PodFailurePolicyRule always required list=atomic
batch/v1.PodFailurePolicyOnExitCodesRequirement
 containerName 1 *string
 operator 2 string always required as=v1.PodFailurePolicyOnExitCodesOperator
 values 3 []int32 always required list=set
batch/v1.PodFailurePolicyOnPodConditionsPattern
 type 1 string always required as=v1.PodConditionType
 status 2 string always as=v1.ConditionStatus
batch/v1.PodFailurePolicyRule
 action 1 string always required as=v1.PodFailurePolicyAction
 onExitCodes 2 *batch/v1.PodFailurePolicyOnExitCodesRequirement
 onPodConditions 3 []batch/v1.PodFailurePolicyOnPodConditionsPattern list=atomic
batch/v1.SuccessPolicy
 rules 1 []batch/v1.SuccessPolicyRule always required list=atomic
batch/v1.SuccessPolicyRule
 succeededIndexes 1 *string
 succeededCount 2 *int32
batch/v1.UncountedTerminatedPods
 succeeded 1 []string list=set as=[]types.UID
 failed 2 []string list=set as=[]types.UID
certificates/v1.CertificateSigningRequest typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 certificates/v1.CertificateSigningRequestSpec always required
 status 3 certificates/v1.CertificateSigningRequestStatus
certificates/v1.CertificateSigningRequestCondition
 type 1 string always required as=v1.RequestConditionType
 status 6 string always required as=v1.ConditionStatus
 reason 2 string
 message 3 string
 lastUpdateTime 4 time
 lastTransitionTime 5 time
certificates/v1.CertificateSigningRequestList typed
 metadata 1 meta/v1.ListMeta
 items 2 []certificates/v1.CertificateSigningRequest always required
certificates/v1.CertificateSigningRequestSpec
 request 1 bytes always required
 signerName 7 string always required
 expirationSeconds 8 *int32
 usages 5 []string list=atomic as=[]v1.KeyUsage
 username 2 string
 uid 3 string
 groups 4 []string list=atomic
 extra 6 {}items<string> as=map[string]v1.ExtraValue
certificates/v1.CertificateSigningRequestStatus
 conditions 1 []certificates/v1.CertificateSigningRequestCondition list=map(type)
 certificate 2 bytes
coordination/v1.Lease typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 coordination/v1.LeaseSpec
coordination/v1.LeaseList typed
 metadata 1 meta/v1.ListMeta
 items 2 []coordination/v1.Lease always required
coordination/v1.LeaseSpec
 holderIdentity 1 *string
 leaseDurationSeconds 2 *int32
 acquireTime 3 *microtime
 renewTime 4 *microtime
 leaseTransitions 5 *int32
 strategy 6 *string as=v1.CoordinatedLeaseStrategy
 preferredHolder 7 *string
core/v1.AWSElasticBlockStoreVolumeSource
 volumeID 1 string always required
 fsType 2 string
 partition 3 int32
 readOnly 4 bool
core/v1.Affinity
 nodeAffinity 1 *core/v1.NodeAffinity
 podAffinity 2 *core/v1.PodAffinity
 podAntiAffinity 3 *core/v1.PodAntiAffinity
core/v1.AppArmorProfile
 type 1 string always required as=v1.AppArmorProfileType
 localhostProfile 2 *string
core/v1.AttachedVolume
 name 1 string always required as=v1.UniqueVolumeName
 devicePath 2 string always required
core/v1.AzureDiskVolumeSource
 diskName 1 string always required
 diskURI 2 string always required
 cachingMode 3 *string as=v1.AzureDataDiskCachingMode
 fsType 4 *string
 readOnly 5 *bool
 kind 6 *string as=v1.AzureDataDiskKind
core/v1.AzureFilePersistentVolumeSource
 secretName 1 string always required
 shareName 2 string always required
 readOnly 3 bool
 secretNamespace 4 *string always
core/v1.AzureFileVolumeSource
 secretName 1 string always required
 shareName 2 string always required
 readOnly 3 bool
core/v1.Binding typed
 metadata 1 meta/v1.ObjectMeta
 target 2 core/v1.ObjectReference always required
core/v1.CSIPersistentVolumeSource
 driver 1 string always required
 volumeHandle 2 string always required
 readOnly 3 bool
 fsType 4 string
 volumeAttributes 5 {}string
 controllerPublishSecretRef 6 *core/v1.SecretReference
 nodeStageSecretRef 7 *core/v1.SecretReference
 nodePublishSecretRef 8 *core/v1.SecretReference
 controllerExpandSecretRef 9 *core/v1.SecretReference
 nodeExpandSecretRef 10 *core/v1.SecretReference
core/v1.CSIVolumeSource
 driver 1 string always required
 readOnly 2 *bool
 fsType 3 *string
 volumeAttributes 4 {}string
 nodePublishSecretRef 5 *core/v1.LocalObjectReference
core/v1.Capabilities
 add 1 []string list=atomic as=[]v1.Capability
 drop 2 []string list=atomic as=[]v1.Capability
core/v1.CephFSPersistentVolumeSource
 monitors 1 []string always required list=atomic
 path 2 string
 user 3 string
 secretFile 4 string
 secretRef 5 *core/v1.SecretReference
 readOnly 6 bool
core/v1.CephFSVolumeSource
 monitors 1 []string always required list=atomic
 path 2 string
 user 3 string
 secretFile 4 string
 secretRef 5 *core/v1.LocalObjectReference
 readOnly 6 bool
core/v1.CinderPersistentVolumeSource
 volumeID 1 string always required
 fsType 2 string
 readOnly 3 bool
 secretRef 4 *core/v1.SecretReference
core/v1.CinderVolumeSource
 volumeID 1 string always required
 fsType 2 string
 readOnly 3 bool
 secretRef 4 *core/v1.LocalObjectReference
core/v1.ClientIPConfig
 timeoutSeconds 1 *int32
core/v1.ClusterTrustBundleProjection
 name 1 *string
 signerName 2 *string
 labelSelector 3 *meta/v1.LabelSelector
 optional 5 *bool
 path 4 string always required
core/v1.ComponentCondition
 type 1 string always required as=v1.ComponentConditionType
 status 2 string always required as=v1.ConditionStatus
 message 3 string
 error 4 string
core/v1.ComponentStatus typed
 metadata 1 meta/v1.ObjectMeta
 conditions 2 []core/v1.ComponentCondition list=map(type) patch=merge mergekey=type
core/v1.ComponentStatusList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.ComponentStatus always required
core/v1.ConfigMap typed
 metadata 1 meta/v1.ObjectMeta
 immutable 4 *bool
 data 2 {}string
 binaryData 3 {}bytes
core/v1.ConfigMapEnvSource
 ~ 1 core/v1.LocalObjectReference
 optional 2 *bool
core/v1.ConfigMapKeySelector atomic
 ~ 1 core/v1.LocalObjectReference
 key 2 string always required
 optional 3 *bool
core/v1.ConfigMapList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.ConfigMap always required
core/v1.ConfigMapNodeConfigSource
 namespace 1 string always required
 name 2 string always required
 uid 3 string as=types.UID
 resourceVersion 4 string
 kubeletConfigKey 5 string always required
core/v1.ConfigMapProjection
 ~ 1 core/v1.LocalObjectReference
 items 2 []core/v1.KeyToPath list=atomic
 optional 4 *bool
core/v1.ConfigMapVolumeSource
 ~ 1 core/v1.LocalObjectReference
 items 2 []core/v1.KeyToPath list=atomic
 defaultMode 3 *int32
 optional 4 *bool
core/v1.Container
 name 1 string always required
 image 2 string
 command 3 []string list=atomic
 args 4 []string list=atomic
 workingDir 5 string
 ports 6 []core/v1.ContainerPort list=map(containerPort+protocol) patch=merge mergekey=containerPort
 envFrom 19 []core/v1.EnvFromSource list=atomic
 env 7 []core/v1.EnvVar list=map(name) patch=merge mergekey=name
 resources 8 core/v1.ResourceRequirements
 resizePolicy 23 []core/v1.ContainerResizePolicy list=atomic
 restartPolicy 24 *string as=v1.ContainerRestartPolicy
 restartPolicyRules 25 []core/v1.ContainerRestartRule list=atomic
 volumeMounts 9 []core/v1.VolumeMount list=map(mountPath) patch=merge mergekey=mountPath
 volumeDevices 21 []core/v1.VolumeDevice list=map(devicePath) patch=merge mergekey=devicePath
 livenessProbe 10 *core/v1.Probe
 readinessProbe 11 *core/v1.Probe
 startupProbe 22 *core/v1.Probe
 lifecycle 12 *core/v1.Lifecycle
 terminationMessagePath 13 string
 terminationMessagePolicy 20 string as=v1.TerminationMessagePolicy
 imagePullPolicy 14 string as=v1.PullPolicy
 securityContext 15 *core/v1.SecurityContext
 stdin 16 bool
 stdinOnce 17 bool
 tty 18 bool
core/v1.ContainerExtendedResourceRequest
 containerName 1 string always required
 resourceName 2 string always required
 requestName 3 string always required
core/v1.ContainerImage
 names 1 []string always list=atomic
 sizeBytes 2 int64
core/v1.ContainerPort
 name 1 string
 hostPort 2 int32
 containerPort 3 int32 always required
 protocol 4 string as=v1.Protocol
 hostIP 5 string
core/v1.ContainerResizePolicy
 resourceName 1 string always required as=v1.ResourceName
 restartPolicy 2 string always required as=v1.ResourceResizeRestartPolicy
core/v1.ContainerRestartRule
 action 1 string required as=v1.ContainerRestartRuleAction
 exitCodes 2 *core/v1.ContainerRestartRuleOnExitCodes
core/v1.ContainerRestartRuleOnExitCodes
 operator 1 string required as=v1.ContainerRestartRuleOnExitCodesOperator
 values 2 []int32 list=set
core/v1.ContainerState
 waiting 1 *core/v1.ContainerStateWaiting
 running 2 *core/v1.ContainerStateRunning
 terminated 3 *core/v1.ContainerStateTerminated
core/v1.ContainerStateRunning
 startedAt 1 time
core/v1.ContainerStateTerminated
 exitCode 1 int32 always required
 signal 2 int32
 reason 3 string
 message 4 string
 startedAt 5 time
 finishedAt 6 time
 containerID 7 string
core/v1.ContainerStateWaiting
 reason 1 string
 message 2 string
core/v1.ContainerStatus
 name 1 string always required
 state 2 core/v1.ContainerState
 lastState 3 core/v1.ContainerState
 ready 4 bool always required
 restartCount 5 int32 always required
 image 6 string always required
 imageID 7 string always required
 containerID 8 string
 started 9 *bool
 allocatedResources 10 {}quantity as=v1.ResourceList
 resources 11 *core/v1.ResourceRequirements
 volumeMounts 12 []core/v1.VolumeMountStatus list=map(mountPath) patch=merge mergekey=mountPath
 user 13 *core/v1.ContainerUser
 allocatedResourcesStatus 14 []core/v1.ResourceStatus list=map(name) patch=merge mergekey=name
 stopSignal 15 *string as=v1.Signal
core/v1.ContainerUser
 linux 1 *core/v1.LinuxContainerUser
core/v1.DaemonEndpoint
 Port 1 int32 always required
core/v1.DownwardAPIProjection
 items 1 []core/v1.DownwardAPIVolumeFile list=atomic
core/v1.DownwardAPIVolumeFile
 path 1 string always required
 fieldRef 2 *core/v1.ObjectFieldSelector
 resourceFieldRef 3 *core/v1.ResourceFieldSelector
 mode 4 *int32
core/v1.DownwardAPIVolumeSource
 items 1 []core/v1.DownwardAPIVolumeFile list=atomic
 defaultMode 2 *int32
core/v1.EmptyDirVolumeSource
 medium 1 string as=v1.StorageMedium
 sizeLimit 2 *quantity
core/v1.EndpointAddress atomic
 ip 1 string always required
 hostname 3 string
 nodeName 4 *string
 targetRef 2 *core/v1.ObjectReference
core/v1.EndpointPort atomic
 name 1 string
 port 2 int32 always required
 protocol 3 string as=v1.Protocol
 appProtocol 4 *string
core/v1.EndpointSubset
 addresses 1 []core/v1.EndpointAddress list=atomic
 notReadyAddresses 2 []core/v1.EndpointAddress list=atomic
 ports 3 []core/v1.EndpointPort list=atomic
core/v1.Endpoints typed
 metadata 1 meta/v1.ObjectMeta
 subsets 2 []core/v1.EndpointSubset list=atomic
core/v1.EndpointsList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.Endpoints always required
core/v1.EnvFromSource
 prefix 1 string
 configMapRef 2 *core/v1.ConfigMapEnvSource
 secretRef 3 *core/v1.SecretEnvSource
core/v1.EnvVar
 name 1 string always required
 value 2 string
 valueFrom 3 *core/v1.EnvVarSource
core/v1.EnvVarSource
 fieldRef 1 *core/v1.ObjectFieldSelector
 resourceFieldRef 2 *core/v1.ResourceFieldSelector
 configMapKeyRef 3 *core/v1.ConfigMapKeySelector
 secretKeyRef 4 *core/v1.SecretKeySelector
 fileKeyRef 5 *core/v1.FileKeySelector
core/v1.EphemeralContainer
 ~ 1 core/v1.EphemeralContainerCommon
 targetContainerName 2 string
core/v1.EphemeralContainerCommon
 name 1 string always
 image 2 string
 command 3 []string
 args 4 []string
 workingDir 5 string
 ports 6 []core/v1.ContainerPort list=map(containerPort+protocol) patch=merge mergekey=containerPort
 envFrom 19 []core/v1.EnvFromSource
 env 7 []core/v1.EnvVar list=map(name) patch=merge mergekey=name
 resources 8 core/v1.ResourceRequirements
 resizePolicy 23 []core/v1.ContainerResizePolicy
 restartPolicy 24 *string as=v1.ContainerRestartPolicy
 restartPolicyRules 25 []core/v1.ContainerRestartRule
 volumeMounts 9 []core/v1.VolumeMount list=map(mountPath) patch=merge mergekey=mountPath
 volumeDevices 21 []core/v1.VolumeDevice list=map(devicePath) patch=merge mergekey=devicePath
 livenessProbe 10 *core/v1.Probe
 readinessProbe 11 *core/v1.Probe
 startupProbe 22 *core/v1.Probe
 lifecycle 12 *core/v1.Lifecycle
 terminationMessagePath 13 string
 terminationMessagePolicy 20 string as=v1.TerminationMessagePolicy
 imagePullPolicy 14 string as=v1.PullPolicy
 securityContext 15 *core/v1.SecurityContext
 stdin 16 bool
 stdinOnce 17 bool
 tty 18 bool
core/v1.EphemeralVolumeSource
 volumeClaimTemplate 1 *core/v1.PersistentVolumeClaimTemplate
core/v1.Event typed
 metadata 1 meta/v1.ObjectMeta always required
 involvedObject 2 core/v1.ObjectReference always required
 reason 3 string
 message 4 string
 source 5 core/v1.EventSource
 firstTimestamp 6 time
 lastTimestamp 7 time
 count 8 int32
 type 9 string
 eventTime 10 microtime
 series 11 *core/v1.EventSeries
 action 12 string
 related 13 *core/v1.ObjectReference
 reportingComponent 14 string always
 reportingInstance 15 string always
core/v1.EventList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.Event always required
core/v1.EventSeries
 count 1 int32
 lastObservedTime 2 microtime
core/v1.EventSource
 component 1 string
 host 2 string
core/v1.ExecAction
 command 1 []string list=atomic
core/v1.FCVolumeSource
 targetWWNs 1 []string list=atomic
 lun 2 *int32
 fsType 3 string
 readOnly 4 bool
 wwids 5 []string list=atomic
core/v1.FileKeySelector atomic
 volumeName 1 string always required
 path 2 string always required
 key 3 string always required
 optional 4 *bool
core/v1.FlexPersistentVolumeSource
 driver 1 string always required
 fsType 2 string
 secretRef 3 *core/v1.SecretReference
 readOnly 4 bool
 options 5 {}string
core/v1.FlexVolumeSource
 driver 1 string always required
 fsType 2 string
 secretRef 3 *core/v1.LocalObjectReference
 readOnly 4 bool
 options 5 {}string
core/v1.FlockerVolumeSource
 datasetName 1 string
 datasetUUID 2 string
core/v1.GCEPersistentDiskVolumeSource
 pdName 1 string always required
 fsType 2 string
 partition 3 int32
 readOnly 4 bool
core/v1.GRPCAction
 port 1 int32 always required
 service 2 *string always
core/v1.GitRepoVolumeSource
 repository 1 string always required
 revision 2 string
 directory 3 string
core/v1.GlusterfsPersistentVolumeSource
 endpoints 1 string always required
 path 2 string always required
 readOnly 3 bool
 endpointsNamespace 4 *string
core/v1.GlusterfsVolumeSource
 endpoints 1 string always required
 path 2 string always required
 readOnly 3 bool
core/v1.HTTPGetAction
 path 1 string
 port 2 intorstring always required
 host 3 string
 scheme 4 string as=v1.URIScheme
 httpHeaders 5 []core/v1.HTTPHeader list=atomic
core/v1.HTTPHeader
 name 1 string always required
 value 2 string always required
core/v1.HostAlias
 ip 1 string always required
 hostnames 2 []string list=atomic
core/v1.HostIP
 ip 1 string always required
core/v1.HostPathVolumeSource
 path 1 string always required
 type 2 *string as=v1.HostPathType
core/v1.ISCSIPersistentVolumeSource
 targetPortal 1 string always required
 iqn 2 string always required
 lun 3 int32 always required
 iscsiInterface 4 string
 fsType 5 string
 readOnly 6 bool
 portals 7 []string list=atomic
 chapAuthDiscovery 8 bool
 chapAuthSession 11 bool
 secretRef 10 *core/v1.SecretReference
 initiatorName 12 *string
core/v1.ISCSIVolumeSource
 targetPortal 1 string always required
 iqn 2 string always required
 lun 3 int32 always required
 iscsiInterface 4 string
 fsType 5 string
 readOnly 6 bool
 portals 7 []string list=atomic
 chapAuthDiscovery 8 bool
 chapAuthSession 11 bool
 secretRef 10 *core/v1.LocalObjectReference
 initiatorName 12 *string
core/v1.ImageVolumeSource
 reference 1 string
 pullPolicy 2 string as=v1.PullPolicy
core/v1.ImageVolumeStatus
 imageRef 1 string required
core/v1.KeyToPath
 key 1 string always required
 path 2 string always required
 mode 3 *int32
core/v1.Lifecycle
 postStart 1 *core/v1.LifecycleHandler
 preStop 2 *core/v1.LifecycleHandler
 stopSignal 3 *string as=v1.Signal
core/v1.LifecycleHandler
 exec 1 *core/v1.ExecAction
 httpGet 2 *core/v1.HTTPGetAction
 tcpSocket 3 *core/v1.TCPSocketAction
 sleep 4 *core/v1.SleepAction
core/v1.LimitRange typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 core/v1.LimitRangeSpec
core/v1.LimitRangeItem
 type 1 string always required as=v1.LimitType
 max 2 {}quantity as=v1.ResourceList
 min 3 {}quantity as=v1.ResourceList
 default 4 {}quantity as=v1.ResourceList
 defaultRequest 5 {}quantity as=v1.ResourceList
 maxLimitRequestRatio 6 {}quantity as=v1.ResourceList
core/v1.LimitRangeList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.LimitRange always required
core/v1.LimitRangeSpec
 limits 1 []core/v1.LimitRangeItem always required list=atomic
core/v1.LinuxContainerUser
 uid 1 int64 always required
 gid 2 int64 always required
 supplementalGroups 3 []int64 list=atomic
core/v1.List typed
 metadata 1 meta/v1.ListMeta
 items 2 []raw always
core/v1.LoadBalancerIngress
 ip 1 string
 hostname 2 string
 ipMode 3 *string as=v1.LoadBalancerIPMode
 ports 4 []core/v1.PortStatus list=atomic
core/v1.LoadBalancerStatus
 ingress 1 []core/v1.LoadBalancerIngress list=atomic
core/v1.LocalObjectReference atomic
 name 1 string
core/v1.LocalVolumeSource
 path 1 string always required
 fsType 2 *string
core/v1.ModifyVolumeStatus
 targetVolumeAttributesClassName 1 string
 status 2 string always required as=v1.PersistentVolumeClaimModifyVolumeStatus
core/v1.NFSVolumeSource
 server 1 string always required
 path 2 string always required
 readOnly 3 bool
core/v1.Namespace typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 core/v1.NamespaceSpec
 status 3 core/v1.NamespaceStatus
core/v1.NamespaceCondition
 type 1 string always required as=v1.NamespaceConditionType
 status 2 string always required as=v1.ConditionStatus
 lastTransitionTime 4 time
 reason 5 string
 message 6 string
core/v1.NamespaceList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.Namespace always required
core/v1.NamespaceSpec
 finalizers 1 []string list=atomic as=[]v1.FinalizerName
core/v1.NamespaceStatus
 phase 1 string as=v1.NamespacePhase
 conditions 2 []core/v1.NamespaceCondition list=map(type) patch=merge mergekey=type
core/v1.Node typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 core/v1.NodeSpec
 status 3 core/v1.NodeStatus
core/v1.NodeAddress
 type 1 string always required as=v1.NodeAddressType
 address 2 string always required
core/v1.NodeAffinity
 requiredDuringSchedulingIgnoredDuringExecution 1 *core/v1.NodeSelector
 preferredDuringSchedulingIgnoredDuringExecution 2 []core/v1.PreferredSchedulingTerm list=atomic
core/v1.NodeAllocatableResourceClaimStatus
 resourceClaimName 1 string always required
 containers 2 []string list=set
 resources 3 {}quantity always required as=map[v1.ResourceName]resource.Quantity
core/v1.NodeCondition
 type 1 string always required as=v1.NodeConditionType
 status 2 string always required as=v1.ConditionStatus
 lastHeartbeatTime 3 time
 lastTransitionTime 4 time
 reason 5 string
 message 6 string
core/v1.NodeConfigSource
 configMap 2 *core/v1.ConfigMapNodeConfigSource
core/v1.NodeConfigStatus
 assigned 1 *core/v1.NodeConfigSource
 active 2 *core/v1.NodeConfigSource
 lastKnownGood 3 *core/v1.NodeConfigSource
 error 4 string
core/v1.NodeDaemonEndpoints
 kubeletEndpoint 1 core/v1.DaemonEndpoint
core/v1.NodeFeatures
 supplementalGroupsPolicy 1 *bool
core/v1.NodeList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.Node always required
core/v1.NodeProxyOptions typed
 path 1 string
core/v1.NodeRuntimeHandler
 name 1 string always
 features 2 *core/v1.NodeRuntimeHandlerFeatures
core/v1.NodeRuntimeHandlerFeatures
 recursiveReadOnlyMounts 1 *bool
 userNamespaces 2 *bool
core/v1.NodeSelector atomic
 nodeSelectorTerms 1 []core/v1.NodeSelectorTerm always required list=atomic
core/v1.NodeSelectorRequirement
 key 1 string always required
 operator 2 string always required as=v1.NodeSelectorOperator
 values 3 []string list=atomic
core/v1.NodeSelectorTerm atomic
 matchExpressions 1 []core/v1.NodeSelectorRequirement list=atomic
 matchFields 2 []core/v1.NodeSelectorRequirement list=atomic
core/v1.NodeSpec
 podCIDR 1 string
 podCIDRs 7 []string list=set patch=merge
 providerID 3 string
 unschedulable 4 bool
 taints 5 []core/v1.Taint list=atomic
 configSource 6 *core/v1.NodeConfigSource
 externalID 2 string
core/v1.NodeStatus
 capacity 1 {}quantity as=v1.ResourceList
 allocatable 2 {}quantity as=v1.ResourceList
 phase 3 string as=v1.NodePhase
 conditions 4 []core/v1.NodeCondition list=map(type) patch=merge mergekey=type
 addresses 5 []core/v1.NodeAddress list=map(type) patch=merge mergekey=type
 daemonEndpoints 6 core/v1.NodeDaemonEndpoints
 nodeInfo 7 core/v1.NodeSystemInfo
 images 8 []core/v1.ContainerImage list=atomic
 volumesInUse 9 []string list=atomic as=[]v1.UniqueVolumeName
 volumesAttached 10 []core/v1.AttachedVolume list=atomic
 config 11 *core/v1.NodeConfigStatus
 runtimeHandlers 12 []core/v1.NodeRuntimeHandler list=atomic
 features 13 *core/v1.NodeFeatures
 declaredFeatures 14 []string list=atomic
core/v1.NodeSwapStatus
 capacity 1 *int64
core/v1.NodeSystemInfo
 machineID 1 string always required
 systemUUID 2 string always required
 bootID 3 string always required
 kernelVersion 4 string always required
 osImage 5 string always required
 containerRuntimeVersion 6 string always required
 kubeletVersion 7 string always required
 kubeProxyVersion 8 string always required
 operatingSystem 9 string always required
 architecture 10 string always required
 swap 11 *core/v1.NodeSwapStatus
core/v1.ObjectFieldSelector atomic
 apiVersion 1 string
 fieldPath 2 string always required
core/v1.ObjectReference atomic
 kind 1 string
 namespace 2 string
 name 3 string
 uid 4 string as=types.UID
 apiVersion 5 string
 resourceVersion 6 string
 fieldPath 7 string
core/v1.PersistentVolume typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 core/v1.PersistentVolumeSpec
 status 3 core/v1.PersistentVolumeStatus
core/v1.PersistentVolumeClaim typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 core/v1.PersistentVolumeClaimSpec
 status 3 core/v1.PersistentVolumeClaimStatus
core/v1.PersistentVolumeClaimCondition
 type 1 string always required as=v1.PersistentVolumeClaimConditionType
 status 2 string always required as=v1.ConditionStatus
 lastProbeTime 3 time
 lastTransitionTime 4 time
 reason 5 string
 message 6 string
core/v1.PersistentVolumeClaimList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.PersistentVolumeClaim always required
core/v1.PersistentVolumeClaimSpec
 accessModes 1 []string list=atomic as=[]v1.PersistentVolumeAccessMode
 selector 4 *meta/v1.LabelSelector
 resources 2 core/v1.VolumeResourceRequirements
 volumeName 3 string
 storageClassName 5 *string
 volumeMode 6 *string as=v1.PersistentVolumeMode
 dataSource 7 *core/v1.TypedLocalObjectReference
 dataSourceRef 8 *core/v1.TypedObjectReference
 volumeAttributesClassName 9 *string
core/v1.PersistentVolumeClaimStatus
 phase 1 string as=v1.PersistentVolumeClaimPhase
 accessModes 2 []string list=atomic as=[]v1.PersistentVolumeAccessMode
 capacity 3 {}quantity as=v1.ResourceList
 conditions 4 []core/v1.PersistentVolumeClaimCondition list=map(type) patch=merge mergekey=type
 allocatedResources 5 {}quantity as=v1.ResourceList
 allocatedResourceStatuses 7 {}string map=granular as=map[v1.ResourceName]v1.ClaimResourceStatus
 currentVolumeAttributesClassName 8 *string
 modifyVolumeStatus 9 *core/v1.ModifyVolumeStatus
core/v1.PersistentVolumeClaimTemplate
 metadata 1 meta/v1.ObjectMeta
 spec 2 core/v1.PersistentVolumeClaimSpec always required
core/v1.PersistentVolumeClaimVolumeSource
 claimName 1 string always required
 readOnly 2 bool
core/v1.PersistentVolumeList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.PersistentVolume always required
core/v1.PersistentVolumeSource
 gcePersistentDisk 1 *core/v1.GCEPersistentDiskVolumeSource
 awsElasticBlockStore 2 *core/v1.AWSElasticBlockStoreVolumeSource
 hostPath 3 *core/v1.HostPathVolumeSource
 glusterfs 4 *core/v1.GlusterfsPersistentVolumeSource
 nfs 5 *core/v1.NFSVolumeSource
 rbd 6 *core/v1.RBDPersistentVolumeSource
 iscsi 7 *core/v1.ISCSIPersistentVolumeSource
 cinder 8 *core/v1.CinderPersistentVolumeSource
 cephfs 9 *core/v1.CephFSPersistentVolumeSource
 fc 10 *core/v1.FCVolumeSource
 flocker 11 *core/v1.FlockerVolumeSource
 flexVolume 12 *core/v1.FlexPersistentVolumeSource
 azureFile 13 *core/v1.AzureFilePersistentVolumeSource
 vsphereVolume 14 *core/v1.VsphereVirtualDiskVolumeSource
 quobyte 15 *core/v1.QuobyteVolumeSource
 azureDisk 16 *core/v1.AzureDiskVolumeSource
 photonPersistentDisk 17 *core/v1.PhotonPersistentDiskVolumeSource
 portworxVolume 18 *core/v1.PortworxVolumeSource
 scaleIO 19 *core/v1.ScaleIOPersistentVolumeSource
 local 20 *core/v1.LocalVolumeSource
 storageos 21 *core/v1.StorageOSPersistentVolumeSource
 csi 22 *core/v1.CSIPersistentVolumeSource
core/v1.PersistentVolumeSpec
 capacity 1 {}quantity as=v1.ResourceList
 ~ 2 core/v1.PersistentVolumeSource
 accessModes 3 []string list=atomic as=[]v1.PersistentVolumeAccessMode
 claimRef 4 *core/v1.ObjectReference map=granular
 persistentVolumeReclaimPolicy 5 string as=v1.PersistentVolumeReclaimPolicy
 storageClassName 6 string
 mountOptions 7 []string list=atomic
 volumeMode 8 *string as=v1.PersistentVolumeMode
 nodeAffinity 9 *core/v1.VolumeNodeAffinity
 volumeAttributesClassName 10 *string
core/v1.PersistentVolumeStatus
 phase 1 string as=v1.PersistentVolumePhase
 message 2 string
 reason 3 string
 lastPhaseTransitionTime 4 *time
core/v1.PhotonPersistentDiskVolumeSource
 pdID 1 string always required
 fsType 2 string
core/v1.Pod typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 core/v1.PodSpec
 status 3 core/v1.PodStatus
core/v1.PodAffinity
 requiredDuringSchedulingIgnoredDuringExecution 1 []core/v1.PodAffinityTerm list=atomic
 preferredDuringSchedulingIgnoredDuringExecution 2 []core/v1.WeightedPodAffinityTerm list=atomic
core/v1.PodAffinityTerm
 labelSelector 1 *meta/v1.LabelSelector
 namespaces 2 []string list=atomic
 topologyKey 3 string always required
 namespaceSelector 4 *meta/v1.LabelSelector
 matchLabelKeys 5 []string list=atomic
 mismatchLabelKeys 6 []string list=atomic
core/v1.PodAntiAffinity
 requiredDuringSchedulingIgnoredDuringExecution 1 []core/v1.PodAffinityTerm list=atomic
 preferredDuringSchedulingIgnoredDuringExecution 2 []core/v1.WeightedPodAffinityTerm list=atomic
core/v1.PodAttachOptions typed
 stdin 1 bool
 stdout 2 bool
 stderr 3 bool
 tty 4 bool
 container 5 string
core/v1.PodCertificateProjection
 signerName 1 string required
 keyType 2 string required
 maxExpirationSeconds 3 *int32
 credentialBundlePath 4 string
 keyPath 5 string
 certificateChainPath 6 string
 userAnnotations 7 {}string
core/v1.PodCondition
 type 1 string always required as=v1.PodConditionType
 observedGeneration 7 int64
 status 2 string always required as=v1.ConditionStatus
 lastProbeTime 3 time
 lastTransitionTime 4 time
 reason 5 string
 message 6 string
core/v1.PodDNSConfig
 nameservers 1 []string list=atomic
 searches 2 []string list=atomic
 options 3 []core/v1.PodDNSConfigOption list=atomic
core/v1.PodDNSConfigOption
 name 1 string
 value 2 *string
core/v1.PodExecOptions typed
 stdin 1 bool
 stdout 2 bool
 stderr 3 bool
 tty 4 bool
 container 5 string
 command 6 []string always
core/v1.PodExtendedResourceClaimStatus
 requestMappings 1 []core/v1.ContainerExtendedResourceRequest always required list=atomic
 resourceClaimName 2 string always required
core/v1.PodIP
 ip 1 string always required
core/v1.PodList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.Pod always required
core/v1.PodLogOptions typed
 container 1 string
 follow 2 bool
 previous 3 bool
 sinceSeconds 4 *int64
 sinceTime 5 *time
 timestamps 6 bool
 tailLines 7 *int64
 limitBytes 8 *int64
 insecureSkipTLSVerifyBackend 9 bool
 stream 10 *string
core/v1.PodOS
 name 1 string always required as=v1.OSName
core/v1.PodPortForwardOptions typed
 ports 1 []int32
core/v1.PodProxyOptions typed
 path 1 string
core/v1.PodReadinessGate
 conditionType 1 string always required as=v1.PodConditionType
core/v1.PodResourceClaim
 name 1 string always required
 resourceClaimName 3 *string
 resourceClaimTemplateName 4 *string
core/v1.PodResourceClaimStatus
 name 1 string always required
 resourceClaimName 2 *string
core/v1.PodSchedulingGate
 name 1 string always required
core/v1.PodSchedulingGroup
 podGroupName 1 *string
core/v1.PodSecurityContext
 seLinuxOptions 1 *core/v1.SELinuxOptions
 windowsOptions 8 *core/v1.WindowsSecurityContextOptions
 runAsUser 2 *int64
 runAsGroup 6 *int64
 runAsNonRoot 3 *bool
 supplementalGroups 4 []int64 list=atomic
 supplementalGroupsPolicy 12 *string as=v1.SupplementalGroupsPolicy
 fsGroup 5 *int64
 sysctls 7 []core/v1.Sysctl list=atomic
 fsGroupChangePolicy 9 *string as=v1.PodFSGroupChangePolicy
 seccompProfile 10 *core/v1.SeccompProfile
 appArmorProfile 11 *core/v1.AppArmorProfile
 seLinuxChangePolicy 13 *string as=v1.PodSELinuxChangePolicy
core/v1.PodSpec
 volumes 1 []core/v1.Volume list=map(name) patch=merge+retainKeys mergekey=name
 initContainers 20 []core/v1.Container list=map(name) patch=merge mergekey=name
 containers 2 []core/v1.Container always required list=map(name) patch=merge mergekey=name
 ephemeralContainers 34 []core/v1.EphemeralContainer list=map(name) patch=merge mergekey=name
 restartPolicy 3 string as=v1.RestartPolicy
 terminationGracePeriodSeconds 4 *int64
 activeDeadlineSeconds 5 *int64
 dnsPolicy 6 string as=v1.DNSPolicy
 nodeSelector 7 {}string map=atomic
 serviceAccountName 8 string
 serviceAccount 9 string
 automountServiceAccountToken 21 *bool
 nodeName 10 string
 hostNetwork 11 bool
 hostPID 12 bool
 hostIPC 13 bool
 shareProcessNamespace 27 *bool
 securityContext 14 *core/v1.PodSecurityContext
 imagePullSecrets 15 []core/v1.LocalObjectReference list=map(name) patch=merge mergekey=name
 hostname 16 string
 subdomain 17 string
 affinity 18 *core/v1.Affinity
 schedulerName 19 string
 tolerations 22 []core/v1.Toleration list=atomic
 hostAliases 23 []core/v1.HostAlias list=map(ip) patch=merge mergekey=ip
 priorityClassName 24 string
 priority 25 *int32
 dnsConfig 26 *core/v1.PodDNSConfig
 readinessGates 28 []core/v1.PodReadinessGate list=atomic
 runtimeClassName 29 *string
 enableServiceLinks 30 *bool
 preemptionPolicy 31 *string as=v1.PreemptionPolicy
 overhead 32 {}quantity as=v1.ResourceList
 topologySpreadConstraints 33 []core/v1.TopologySpreadConstraint list=map(topologyKey+whenUnsatisfiable) patch=merge mergekey=topologyKey
 setHostnameAsFQDN 35 *bool
 os 36 *core/v1.PodOS
 hostUsers 37 *bool
 schedulingGates 38 []core/v1.PodSchedulingGate list=map(name) patch=merge mergekey=name
 resourceClaims 39 []core/v1.PodResourceClaim list=map(name) patch=merge+retainKeys mergekey=name
 resources 40 *core/v1.ResourceRequirements
 hostnameOverride 41 *string
 schedulingGroup 43 *core/v1.PodSchedulingGroup
core/v1.PodStatus
 observedGeneration 17 int64
 phase 1 string as=v1.PodPhase
 conditions 2 []core/v1.PodCondition list=map(type) patch=merge mergekey=type
 message 3 string
 reason 4 string
 nominatedNodeName 11 string
 hostIP 5 string
 hostIPs 16 []core/v1.HostIP list=atomic patch=merge mergekey=ip
 podIP 6 string
 podIPs 12 []core/v1.PodIP list=map(ip) patch=merge mergekey=ip
 startTime 7 *time
 initContainerStatuses 10 []core/v1.ContainerStatus list=atomic
 containerStatuses 8 []core/v1.ContainerStatus list=atomic
 qosClass 9 string as=v1.PodQOSClass
 ephemeralContainerStatuses 13 []core/v1.ContainerStatus list=atomic
 resize 14 string as=v1.PodResizeStatus
 resourceClaimStatuses 15 []core/v1.PodResourceClaimStatus list=map(name) patch=merge+retainKeys mergekey=name
 extendedResourceClaimStatus 18 *core/v1.PodExtendedResourceClaimStatus
 allocatedResources 19 {}quantity as=v1.ResourceList
 resources 20 *core/v1.ResourceRequirements
 nodeAllocatableResourceClaimStatuses 21 []core/v1.NodeAllocatableResourceClaimStatus list=atomic
core/v1.PodStatusResult typed
 metadata 1 meta/v1.ObjectMeta
 status 2 core/v1.PodStatus
core/v1.PodTemplate typed
 metadata 1 meta/v1.ObjectMeta
 template 2 core/v1.PodTemplateSpec
core/v1.PodTemplateList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.PodTemplate always required
core/v1.PodTemplateSpec
 metadata 1 meta/v1.ObjectMeta
 spec 2 core/v1.PodSpec
core/v1.PortStatus
 port 1 int32 always required
 protocol 2 string always required as=v1.Protocol
 error 3 *string
core/v1.PortworxVolumeSource
 volumeID 1 string always required
 fsType 2 string
 readOnly 3 bool
core/v1.PreferredSchedulingTerm
 weight 1 int32 always required
 preference 2 core/v1.NodeSelectorTerm always required
core/v1.Probe
 ~ 1 core/v1.ProbeHandler
 initialDelaySeconds 2 int32
 timeoutSeconds 3 int32
 periodSeconds 4 int32
 successThreshold 5 int32
 failureThreshold 6 int32
 terminationGracePeriodSeconds 7 *int64
core/v1.ProbeHandler
 exec 1 *core/v1.ExecAction
 httpGet 2 *core/v1.HTTPGetAction
 tcpSocket 3 *core/v1.TCPSocketAction
 grpc 4 *core/v1.GRPCAction
core/v1.ProjectedVolumeSource
 sources 1 []core/v1.VolumeProjection always list=atomic
 defaultMode 2 *int32
core/v1.QuobyteVolumeSource
 registry 1 string always required
 volume 2 string always required
 readOnly 3 bool
 user 4 string
 group 5 string
 tenant 6 string
core/v1.RBDPersistentVolumeSource
 monitors 1 []string always required list=atomic
 image 2 string always required
 fsType 3 string
 pool 4 string
 user 5 string
 keyring 6 string
 secretRef 7 *core/v1.SecretReference
 readOnly 8 bool
core/v1.RBDVolumeSource
 monitors 1 []string always required list=atomic
 image 2 string always required
 fsType 3 string
 pool 4 string
 user 5 string
 keyring 6 string
 secretRef 7 *core/v1.LocalObjectReference
 readOnly 8 bool
core/v1.RangeAllocation typed
 metadata 1 meta/v1.ObjectMeta
 range 2 string always
 data 3 bytes always
core/v1.ReplicationController typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 core/v1.ReplicationControllerSpec
 status 3 core/v1.ReplicationControllerStatus
core/v1.ReplicationControllerCondition
 type 1 string always required as=v1.ReplicationControllerConditionType
 status 2 string always required as=v1.ConditionStatus
 lastTransitionTime 3 time
 reason 4 string
 message 5 string
core/v1.ReplicationControllerList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.ReplicationController always required
core/v1.ReplicationControllerSpec
 replicas 1 *int32
 minReadySeconds 4 int32
 selector 2 {}string map=atomic
 template 3 *core/v1.PodTemplateSpec
core/v1.ReplicationControllerStatus
 replicas 1 int32 always required
 fullyLabeledReplicas 2 int32
 readyReplicas 4 int32
 availableReplicas 5 int32
 observedGeneration 3 int64
 conditions 6 []core/v1.ReplicationControllerCondition list=map(type) patch=merge mergekey=type
core/v1.ResourceClaim
 name 1 string always required
 request 2 string
core/v1.ResourceFieldSelector atomic
 containerName 1 string
 resource 2 string always required
 divisor 3 quantity
core/v1.ResourceHealth
 resourceID 1 string always required as=v1.ResourceID
 health 2 string as=v1.ResourceHealthStatus
 message 6 *string
core/v1.ResourceQuota typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 core/v1.ResourceQuotaSpec
 status 3 core/v1.ResourceQuotaStatus
core/v1.ResourceQuotaList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.ResourceQuota always required
core/v1.ResourceQuotaSpec
 hard 1 {}quantity as=v1.ResourceList
 scopes 2 []string list=atomic as=[]v1.ResourceQuotaScope
 scopeSelector 3 *core/v1.ScopeSelector
core/v1.ResourceQuotaStatus
 hard 1 {}quantity as=v1.ResourceList
 used 2 {}quantity as=v1.ResourceList
core/v1.ResourceRequirements
 limits 1 {}quantity as=v1.ResourceList
 requests 2 {}quantity as=v1.ResourceList
 claims 3 []core/v1.ResourceClaim list=map(name)
core/v1.ResourceStatus
 name 1 string always required as=v1.ResourceName
 resources 2 []core/v1.ResourceHealth list=map(resourceID)
core/v1.SELinuxOptions
 user 1 string
 role 2 string
 type 3 string
 level 4 string
core/v1.ScaleIOPersistentVolumeSource
 gateway 1 string always required
 system 2 string always required
 secretRef 3 *core/v1.SecretReference always required
 sslEnabled 4 bool
 protectionDomain 5 string
 storagePool 6 string
 storageMode 7 string
 volumeName 8 string
 fsType 9 string
 readOnly 10 bool
core/v1.ScaleIOVolumeSource
 gateway 1 string always required
 system 2 string always required
 secretRef 3 *core/v1.LocalObjectReference always required
 sslEnabled 4 bool
 protectionDomain 5 string
 storagePool 6 string
 storageMode 7 string
 volumeName 8 string
 fsType 9 string
 readOnly 10 bool
core/v1.ScopeSelector atomic
 matchExpressions 1 []core/v1.ScopedResourceSelectorRequirement list=atomic
core/v1.ScopedResourceSelectorRequirement
 scopeName 1 string always required as=v1.ResourceQuotaScope
 operator 2 string always required as=v1.ScopeSelectorOperator
 values 3 []string list=atomic
core/v1.SeccompProfile
 type 1 string always required as=v1.SeccompProfileType
 localhostProfile 2 *string
core/v1.Secret typed
 metadata 1 meta/v1.ObjectMeta
 immutable 5 *bool
 data 2 {}bytes
 stringData 4 {}string
 type 3 string as=v1.SecretType
core/v1.SecretEnvSource
 ~ 1 core/v1.LocalObjectReference
 optional 2 *bool
core/v1.SecretKeySelector atomic
 ~ 1 core/v1.LocalObjectReference
 key 2 string always required
 optional 3 *bool
core/v1.SecretList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.Secret always required
core/v1.SecretProjection
 ~ 1 core/v1.LocalObjectReference
 items 2 []core/v1.KeyToPath list=atomic
 optional 4 *bool
core/v1.SecretReference atomic
 name 1 string
 namespace 2 string
core/v1.SecretVolumeSource
 secretName 1 string
 items 2 []core/v1.KeyToPath list=atomic
 defaultMode 3 *int32
 optional 4 *bool
core/v1.SecurityContext
 capabilities 1 *core/v1.Capabilities
 privileged 2 *bool
 seLinuxOptions 3 *core/v1.SELinuxOptions
 windowsOptions 10 *core/v1.WindowsSecurityContextOptions
 runAsUser 4 *int64
 runAsGroup 8 *int64
 runAsNonRoot 5 *bool
 readOnlyRootFilesystem 6 *bool
 allowPrivilegeEscalation 7 *bool
 procMount 9 *string as=v1.ProcMountType
 seccompProfile 11 *core/v1.SeccompProfile
 appArmorProfile 12 *core/v1.AppArmorProfile
core/v1.SerializedReference typed
 reference 1 core/v1.ObjectReference
core/v1.Service typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 core/v1.ServiceSpec
 status 3 core/v1.ServiceStatus
core/v1.ServiceAccount typed
 metadata 1 meta/v1.ObjectMeta
 secrets 2 []core/v1.ObjectReference list=map(name) patch=merge mergekey=name
 imagePullSecrets 3 []core/v1.LocalObjectReference list=atomic
 automountServiceAccountToken 4 *bool
core/v1.ServiceAccountList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.ServiceAccount always required
core/v1.ServiceAccountTokenProjection
 audience 1 string
 expirationSeconds 2 *int64
 path 3 string always required
core/v1.ServiceList typed
 metadata 1 meta/v1.ListMeta
 items 2 []core/v1.Service always required
core/v1.ServicePort
 name 1 string
 protocol 2 string as=v1.Protocol
 appProtocol 6 *string
 port 3 int32 always required
 targetPort 4 intorstring
 nodePort 5 int32
core/v1.ServiceProxyOptions typed
 path 1 string
core/v1.ServiceSpec
 ports 1 []core/v1.ServicePort list=map(port+protocol) patch=merge mergekey=port
 selector 2 {}string map=atomic
 clusterIP 3 string
 clusterIPs 18 []string list=atomic
 type 4 string as=v1.ServiceType
 externalIPs 5 []string list=atomic
 sessionAffinity 7 string as=v1.ServiceAffinity
 loadBalancerIP 8 string
 loadBalancerSourceRanges 9 []string list=atomic
 externalName 10 string
 externalTrafficPolicy 11 string as=v1.ServiceExternalTrafficPolicy
 healthCheckNodePort 12 int32
 publishNotReadyAddresses 13 bool
 sessionAffinityConfig 14 *core/v1.SessionAffinityConfig
 ipFamilies 19 []string list=atomic as=[]v1.IPFamily
 ipFamilyPolicy 17 *string as=v1.IPFamilyPolicy
 allocateLoadBalancerNodePorts 20 *bool
 loadBalancerClass 21 *string
 internalTrafficPolicy 22 *string as=v1.ServiceInternalTrafficPolicy
 trafficDistribution 23 *string
core/v1.ServiceStatus
 loadBalancer 1 core/v1.LoadBalancerStatus
 conditions 2 []meta/v1.Condition list=map(type) patch=merge mergekey=type
core/v1.SessionAffinityConfig
 clientIP 1 *core/v1.ClientIPConfig
core/v1.SleepAction
 seconds 1 int64 always required
core/v1.StorageOSPersistentVolumeSource
 volumeName 1 string
 volumeNamespace 2 string
 fsType 3 string
 readOnly 4 bool
 secretRef 5 *core/v1.ObjectReference
core/v1.StorageOSVolumeSource
 volumeName 1 string
 volumeNamespace 2 string
 fsType 3 string
 readOnly 4 bool
 secretRef 5 *core/v1.LocalObjectReference
core/v1.Sysctl
 name 1 string always required
 value 2 string always required
core/v1.TCPSocketAction
 port 1 intorstring always required
 host 2 string
core/v1.Taint
 key 1 string always required
 value 2 string
 effect 3 string always required as=v1.TaintEffect
 timeAdded 4 *time
core/v1.Toleration
 key 1 string
 operator 2 string as=v1.TolerationOperator
 value 3 string
 effect 4 string as=v1.TaintEffect
 tolerationSeconds 5 *int64
core/v1.TopologySelectorLabelRequirement
 key 1 string always required
 values 2 []string always required list=atomic
core/v1.TopologySelectorTerm atomic
 matchLabelExpressions 1 []core/v1.TopologySelectorLabelRequirement list=atomic
core/v1.TopologySpreadConstraint
 maxSkew 1 int32 always required
 topologyKey 2 string always required
 whenUnsatisfiable 3 string always required as=v1.UnsatisfiableConstraintAction
 labelSelector 4 *meta/v1.LabelSelector
 minDomains 5 *int32
 nodeAffinityPolicy 6 *string as=v1.NodeInclusionPolicy
 nodeTaintsPolicy 7 *string as=v1.NodeInclusionPolicy
 matchLabelKeys 8 []string list=atomic
core/v1.TypedLocalObjectReference atomic
 apiGroup 1 *string always
 kind 2 string always required
 name 3 string always required
core/v1.TypedObjectReference
 apiGroup 1 *string always
 kind 2 string always required
 name 3 string always required
 namespace 4 *string
core/v1.Volume
 name 1 string always required
 ~ 2 core/v1.VolumeSource
core/v1.VolumeDevice
 name 1 string always required
 devicePath 2 string always required
core/v1.VolumeMount
 name 1 string always required
 readOnly 2 bool
 recursiveReadOnly 7 *string as=v1.RecursiveReadOnlyMode
 mountPath 3 string always required
 subPath 4 string
 mountPropagation 5 *string as=v1.MountPropagationMode
 subPathExpr 6 string
core/v1.VolumeMountStatus
 name 1 string always required
 mountPath 2 string always required
 readOnly 3 bool
 recursiveReadOnly 4 *string as=v1.RecursiveReadOnlyMode
 volumeStatus 5 *core/v1.VolumeStatus
core/v1.VolumeNodeAffinity
 required 1 *core/v1.NodeSelector
core/v1.VolumeProjection
 secret 1 *core/v1.SecretProjection
 downwardAPI 2 *core/v1.DownwardAPIProjection
 configMap 3 *core/v1.ConfigMapProjection
 serviceAccountToken 4 *core/v1.ServiceAccountTokenProjection
 clusterTrustBundle 5 *core/v1.ClusterTrustBundleProjection
 podCertificate 6 *core/v1.PodCertificateProjection
core/v1.VolumeResourceRequirements
 limits 1 {}quantity as=v1.ResourceList
 requests 2 {}quantity as=v1.ResourceList
core/v1.VolumeSource
 hostPath 1 *core/v1.HostPathVolumeSource
 emptyDir 2 *core/v1.EmptyDirVolumeSource
 gcePersistentDisk 3 *core/v1.GCEPersistentDiskVolumeSource
 awsElasticBlockStore 4 *core/v1.AWSElasticBlockStoreVolumeSource
 gitRepo 5 *core/v1.GitRepoVolumeSource
 secret 6 *core/v1.SecretVolumeSource
 nfs 7 *core/v1.NFSVolumeSource
 iscsi 8 *core/v1.ISCSIVolumeSource
 glusterfs 9 *core/v1.GlusterfsVolumeSource
 persistentVolumeClaim 10 *core/v1.PersistentVolumeClaimVolumeSource
 rbd 11 *core/v1.RBDVolumeSource
 flexVolume 12 *core/v1.FlexVolumeSource
 cinder 13 *core/v1.CinderVolumeSource
 cephfs 14 *core/v1.CephFSVolumeSource
 flocker 15 *core/v1.FlockerVolumeSource
 downwardAPI 16 *core/v1.DownwardAPIVolumeSource
 fc 17 *core/v1.FCVolumeSource
 azureFile 18 *core/v1.AzureFileVolumeSource
 configMap 19 *core/v1.ConfigMapVolumeSource
 vsphereVolume 20 *core/v1.VsphereVirtualDiskVolumeSource
 quobyte 21 *core/v1.QuobyteVolumeSource
 azureDisk 22 *core/v1.AzureDiskVolumeSource
 photonPersistentDisk 23 *core/v1.PhotonPersistentDiskVolumeSource
 projected 26 *core/v1.ProjectedVolumeSource
 portworxVolume 24 *core/v1.PortworxVolumeSource
 scaleIO 25 *core/v1.ScaleIOVolumeSource
 storageos 27 *core/v1.StorageOSVolumeSource
 csi 28 *core/v1.CSIVolumeSource
 ephemeral 29 *core/v1.EphemeralVolumeSource
 image 30 *core/v1.ImageVolumeSource
core/v1.VolumeStatus
 image 1 *core/v1.ImageVolumeStatus
core/v1.VsphereVirtualDiskVolumeSource
 volumePath 1 string always required
 fsType 2 string
 storagePolicyName 3 string
 storagePolicyID 4 string
core/v1.WeightedPodAffinityTerm
 weight 1 int32 always required
 podAffinityTerm 2 core/v1.PodAffinityTerm always required
core/v1.WindowsSecurityContextOptions
 gmsaCredentialSpecName 1 *string
 gmsaCredentialSpec 2 *string
 runAsUserName 3 *string
 hostProcess 4 *bool
discovery/v1.Endpoint
 addresses 1 []string always required list=set
 conditions 2 discovery/v1.EndpointConditions
 hostname 3 *string
 targetRef 4 *core/v1.ObjectReference
 deprecatedTopology 5 {}string
 nodeName 6 *string
 zone 7 *string
 hints 8 *discovery/v1.EndpointHints
discovery/v1.EndpointConditions
 ready 1 *bool
 serving 2 *bool
 terminating 3 *bool
discovery/v1.EndpointHints
 forZones 1 []discovery/v1.ForZone list=atomic
 forNodes 2 []discovery/v1.ForNode list=atomic
discovery/v1.EndpointPort atomic
 name 1 *string
 protocol 2 *string as=v1.Protocol
 port 3 *int32
 appProtocol 4 *string
discovery/v1.EndpointSlice typed
 metadata 1 meta/v1.ObjectMeta
 addressType 4 string always required as=v1.AddressType
 endpoints 2 []discovery/v1.Endpoint always list=atomic
 ports 3 []discovery/v1.EndpointPort always list=atomic
discovery/v1.EndpointSliceList typed
 metadata 1 meta/v1.ListMeta
 items 2 []discovery/v1.EndpointSlice always required
discovery/v1.ForNode
 name 1 string always required
discovery/v1.ForZone
 name 1 string always required
events/v1.Event typed
 metadata 1 meta/v1.ObjectMeta always
 eventTime 2 microtime always required
 series 3 *events/v1.EventSeries
 reportingController 4 string
 reportingInstance 5 string
 action 6 string
 reason 7 string
 regarding 8 core/v1.ObjectReference
 related 9 *core/v1.ObjectReference
 note 10 string
 type 11 string
 deprecatedSource 12 core/v1.EventSource
 deprecatedFirstTimestamp 13 time
 deprecatedLastTimestamp 14 time
 deprecatedCount 15 int32
events/v1.EventList typed
 metadata 1 meta/v1.ListMeta
 items 2 []events/v1.Event always required
events/v1.EventSeries
 count 1 int32 always required
 lastObservedTime 2 microtime always required
flowcontrol/v1.ExemptPriorityLevelConfiguration
 nominalConcurrencyShares 1 *int32
 lendablePercent 2 *int32
flowcontrol/v1.FlowDistinguisherMethod
 type 1 string always required as=v1.FlowDistinguisherMethodType
flowcontrol/v1.FlowSchema typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 flowcontrol/v1.FlowSchemaSpec
 status 3 flowcontrol/v1.FlowSchemaStatus
flowcontrol/v1.FlowSchemaCondition
 type 1 string as=v1.FlowSchemaConditionType
 status 2 string as=v1.ConditionStatus
 lastTransitionTime 3 time
 reason 4 string
 message 5 string
flowcontrol/v1.FlowSchemaList typed
 metadata 1 meta/v1.ListMeta
 items 2 []flowcontrol/v1.FlowSchema always required
flowcontrol/v1.FlowSchemaSpec
 priorityLevelConfiguration 1 flowcontrol/v1.PriorityLevelConfigurationReference always required
 matchingPrecedence 2 int32 always
 distinguisherMethod 3 *flowcontrol/v1.FlowDistinguisherMethod
 rules 4 []flowcontrol/v1.PolicyRulesWithSubjects list=atomic
flowcontrol/v1.FlowSchemaStatus
 conditions 1 []flowcontrol/v1.FlowSchemaCondition list=map(type) patch=merge mergekey=type
flowcontrol/v1.GroupSubject
 name 1 string always required
flowcontrol/v1.LimitResponse
 type 1 string always required as=v1.LimitResponseType
 queuing 2 *flowcontrol/v1.QueuingConfiguration
flowcontrol/v1.LimitedPriorityLevelConfiguration
 nominalConcurrencyShares 1 *int32 always
 limitResponse 2 flowcontrol/v1.LimitResponse
 lendablePercent 3 *int32
 borrowingLimitPercent 4 *int32
flowcontrol/v1.NonResourcePolicyRule
 verbs 1 []string always required list=set
 nonResourceURLs 6 []string always required list=set
flowcontrol/v1.PolicyRulesWithSubjects
 subjects 1 []flowcontrol/v1.Subject always required list=atomic
 resourceRules 2 []flowcontrol/v1.ResourcePolicyRule list=atomic
 nonResourceRules 3 []flowcontrol/v1.NonResourcePolicyRule list=atomic
flowcontrol/v1.PriorityLevelConfiguration typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 flowcontrol/v1.PriorityLevelConfigurationSpec
 status 3 flowcontrol/v1.PriorityLevelConfigurationStatus
flowcontrol/v1.PriorityLevelConfigurationCondition
 type 1 string as=v1.PriorityLevelConfigurationConditionType
 status 2 string as=v1.ConditionStatus
 lastTransitionTime 3 time
 reason 4 string
 message 5 string
flowcontrol/v1.PriorityLevelConfigurationList typed
 metadata 1 meta/v1.ListMeta
 items 2 []flowcontrol/v1.PriorityLevelConfiguration always required
flowcontrol/v1.PriorityLevelConfigurationReference
 name 1 string always required
flowcontrol/v1.PriorityLevelConfigurationSpec
 type 1 string always required as=v1.PriorityLevelEnablement
 limited 2 *flowcontrol/v1.LimitedPriorityLevelConfiguration
 exempt 3 *flowcontrol/v1.ExemptPriorityLevelConfiguration
flowcontrol/v1.PriorityLevelConfigurationStatus
 conditions 1 []flowcontrol/v1.PriorityLevelConfigurationCondition list=map(type) patch=merge mergekey=type
flowcontrol/v1.QueuingConfiguration
 queues 1 int32 always
 handSize 2 int32 always
 queueLengthLimit 3 int32 always
flowcontrol/v1.ResourcePolicyRule
 verbs 1 []string always required list=set
 apiGroups 2 []string always required list=set
 resources 3 []string always required list=set
 clusterScope 4 bool
 namespaces 5 []string always list=set
flowcontrol/v1.ServiceAccountSubject
 namespace 1 string always required
 name 2 string always required
flowcontrol/v1.Subject
 kind 1 string always required as=v1.SubjectKind
 user 2 *flowcontrol/v1.UserSubject
 group 3 *flowcontrol/v1.GroupSubject
 serviceAccount 4 *flowcontrol/v1.ServiceAccountSubject
flowcontrol/v1.UserSubject
 name 1 string always required
meta/v1.APIGroup typed
 name 1 string always required
 versions 2 []meta/v1.GroupVersionForDiscovery always required list=atomic
 preferredVersion 3 meta/v1.GroupVersionForDiscovery
 serverAddressByClientCIDRs 4 []meta/v1.ServerAddressByClientCIDR list=atomic
meta/v1.APIGroupList typed
 groups 1 []meta/v1.APIGroup always required list=atomic
meta/v1.APIResource
 name 1 string always required
 singularName 6 string always required
 namespaced 2 bool always required
 group 8 string
 version 9 string
 kind 3 string always required
 verbs 4 items<string> always required as=v1.Verbs
 shortNames 5 []string list=atomic
 categories 7 []string list=atomic
 storageVersionHash 10 string
meta/v1.APIResourceList typed
 groupVersion 1 string always required
 resources 2 []meta/v1.APIResource always required list=atomic
meta/v1.APIVersions typed
 versions 1 []string always required list=atomic
 serverAddressByClientCIDRs 2 []meta/v1.ServerAddressByClientCIDR always required list=atomic
meta/v1.Condition
 type 1 string always required
 status 2 string always required as=v1.ConditionStatus
 observedGeneration 3 int64
 lastTransitionTime 4 time always required
 reason 5 string always required
 message 6 string always required
meta/v1.CreateOptions typed
 dryRun 1 []string
 fieldManager 3 string
 fieldValidation 4 string
meta/v1.DeleteOptions typed
 gracePeriodSeconds 1 *int64
 preconditions 2 *meta/v1.Preconditions
 orphanDependents 3 *bool
 propagationPolicy 4 *string as=v1.DeletionPropagation
 dryRun 5 []string list=atomic
 ignoreStoreReadErrorWithClusterBreakingPotential 6 *bool
meta/v1.FieldSelectorRequirement
 key 1 string always required
 operator 2 string always required as=v1.FieldSelectorOperator
 values 3 []string list=atomic
meta/v1.GroupVersionForDiscovery
 groupVersion 1 string always required
 version 2 string always required
meta/v1.LabelSelector atomic
 matchLabels 1 {}string
 matchExpressions 2 []meta/v1.LabelSelectorRequirement list=atomic
meta/v1.LabelSelectorRequirement
 key 1 string always required
 operator 2 string always required as=v1.LabelSelectorOperator
 values 3 []string list=atomic
meta/v1.ListMeta
 selfLink 1 string
 resourceVersion 2 string
 continue 3 string
 remainingItemCount 4 *int64
 shardInfo 5 *meta/v1.ShardInfo
meta/v1.ManagedFieldsEntry
 manager 1 string
 operation 2 string as=v1.ManagedFieldsOperationType
 apiVersion 3 string
 time 4 *time
 fieldsType 6 string
 fieldsV1 7 *fieldsv1
 subresource 8 string
meta/v1.ObjectMeta
 name 1 string
 generateName 2 string
 namespace 3 string
 selfLink 4 string
 uid 5 string as=types.UID
 resourceVersion 6 string
 generation 7 int64
 creationTimestamp 8 time omitzero
 deletionTimestamp 9 *time
 deletionGracePeriodSeconds 10 *int64
 labels 11 {}string
 annotations 12 {}string
 ownerReferences 13 []meta/v1.OwnerReference list=map(uid) patch=merge mergekey=uid
 finalizers 14 []string list=set patch=merge
 managedFields 17 []meta/v1.ManagedFieldsEntry list=atomic
meta/v1.OwnerReference atomic
 apiVersion 5 string always required
 kind 1 string always required
 name 3 string always required
 uid 4 string always required as=types.UID
 controller 6 *bool
 blockOwnerDeletion 7 *bool
meta/v1.PartialObjectMetadata typed
 metadata 1 meta/v1.ObjectMeta
meta/v1.PartialObjectMetadataList typed
 metadata 1 meta/v1.ListMeta
 items 2 []meta/v1.PartialObjectMetadata always
meta/v1.PatchOptions typed
 dryRun 1 []string
 force 2 *bool
 fieldManager 3 string
 fieldValidation 4 string
meta/v1.Preconditions
 uid 1 *string as=types.UID
 resourceVersion 2 *string
meta/v1.ServerAddressByClientCIDR
 clientCIDR 1 string always required
 serverAddress 2 string always required
meta/v1.ShardInfo
 selector 1 string always required
meta/v1.Status typed
 metadata 1 meta/v1.ListMeta
 status 2 string
 message 3 string
 reason 4 string as=v1.StatusReason
 details 5 *meta/v1.StatusDetails
 code 6 int32
meta/v1.StatusCause
 reason 1 string as=v1.CauseType
 message 2 string
 field 3 string
meta/v1.StatusDetails
 name 1 string
 group 2 string
 kind 3 string
 uid 6 string as=types.UID
 causes 4 []meta/v1.StatusCause list=atomic
 retryAfterSeconds 5 int32
meta/v1.UpdateOptions typed
 dryRun 1 []string
 fieldManager 2 string
 fieldValidation 3 string
meta/v1.WatchEvent
 type 1 string always required
 object 2 raw always required
networking/v1.HTTPIngressPath
 path 1 string
 pathType 3 *string always required as=v1.PathType
 backend 2 networking/v1.IngressBackend always required
networking/v1.HTTPIngressRuleValue
 paths 1 []networking/v1.HTTPIngressPath always required list=atomic
networking/v1.IPAddress typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 networking/v1.IPAddressSpec required
networking/v1.IPAddressList typed
 metadata 1 meta/v1.ListMeta
 items 2 []networking/v1.IPAddress always required
networking/v1.IPAddressSpec
 parentRef 1 *networking/v1.ParentReference required
networking/v1.IPBlock
 cidr 1 string always required
 except 2 []string list=atomic
networking/v1.Ingress typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 networking/v1.IngressSpec
 status 3 networking/v1.IngressStatus
networking/v1.IngressBackend
 service 4 *networking/v1.IngressServiceBackend
 resource 3 *core/v1.TypedLocalObjectReference
networking/v1.IngressClass typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 networking/v1.IngressClassSpec
networking/v1.IngressClassList typed
 metadata 1 meta/v1.ListMeta
 items 2 []networking/v1.IngressClass always required
networking/v1.IngressClassParametersReference
 apiGroup 1 *string
 kind 2 string always required
 name 3 string always required
 scope 4 *string always
 namespace 5 *string
networking/v1.IngressClassSpec
 controller 1 string
 parameters 2 *networking/v1.IngressClassParametersReference
networking/v1.IngressList typed
 metadata 1 meta/v1.ListMeta
 items 2 []networking/v1.Ingress always required
networking/v1.IngressLoadBalancerIngress
 ip 1 string
 hostname 2 string
 ports 4 []networking/v1.IngressPortStatus list=atomic
networking/v1.IngressLoadBalancerStatus
 ingress 1 []networking/v1.IngressLoadBalancerIngress list=atomic
networking/v1.IngressPortStatus
 port 1 int32 always required
 protocol 2 string always required as=v1.Protocol
 error 3 *string
networking/v1.IngressRule
 host 1 string
 ~ 2 networking/v1.IngressRuleValue
networking/v1.IngressRuleValue
 http 1 *networking/v1.HTTPIngressRuleValue
networking/v1.IngressServiceBackend
 name 1 string always required
 port 2 networking/v1.ServiceBackendPort
networking/v1.IngressSpec
 ingressClassName 4 *string
 defaultBackend 1 *networking/v1.IngressBackend
 tls 2 []networking/v1.IngressTLS list=atomic
 rules 3 []networking/v1.IngressRule list=atomic
networking/v1.IngressStatus
 loadBalancer 1 networking/v1.IngressLoadBalancerStatus
networking/v1.IngressTLS
 hosts 1 []string list=atomic
 secretName 2 string
networking/v1.NetworkPolicy typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 networking/v1.NetworkPolicySpec
networking/v1.NetworkPolicyEgressRule
 ports 1 []networking/v1.NetworkPolicyPort list=atomic
 to 2 []networking/v1.NetworkPolicyPeer list=atomic
networking/v1.NetworkPolicyIngressRule
 ports 1 []networking/v1.NetworkPolicyPort list=atomic
 from 2 []networking/v1.NetworkPolicyPeer list=atomic
networking/v1.NetworkPolicyList typed
 metadata 1 meta/v1.ListMeta
 items 2 []networking/v1.NetworkPolicy always required
networking/v1.NetworkPolicyPeer
 podSelector 1 *meta/v1.LabelSelector
 namespaceSelector 2 *meta/v1.LabelSelector
 ipBlock 3 *networking/v1.IPBlock
networking/v1.NetworkPolicyPort
 protocol 1 *string as=v1.Protocol
 port 2 *intorstring
 endPort 3 *int32
networking/v1.NetworkPolicySpec
 podSelector 1 meta/v1.LabelSelector always
 ingress 2 []networking/v1.NetworkPolicyIngressRule list=atomic
 egress 3 []networking/v1.NetworkPolicyEgressRule list=atomic
 policyTypes 4 []string list=atomic as=[]v1.PolicyType
networking/v1.ParentReference
 group 1 string
 resource 2 string required
 namespace 3 string
 name 4 string required
networking/v1.ServiceBackendPort atomic
 name 1 string
 number 2 int32
networking/v1.ServiceCIDR typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 networking/v1.ServiceCIDRSpec
 status 3 networking/v1.ServiceCIDRStatus
networking/v1.ServiceCIDRList typed
 metadata 1 meta/v1.ListMeta
 items 2 []networking/v1.ServiceCIDR always required
networking/v1.ServiceCIDRSpec
 cidrs 1 []string list=atomic
networking/v1.ServiceCIDRStatus
 conditions 1 []meta/v1.Condition list=map(type) patch=merge mergekey=type
node/v1.Overhead
 podFixed 1 {}quantity as=v1.ResourceList
node/v1.RuntimeClass typed
 metadata 1 meta/v1.ObjectMeta
 handler 2 string always required
 overhead 3 *node/v1.Overhead
 scheduling 4 *node/v1.Scheduling
node/v1.RuntimeClassList typed
 metadata 1 meta/v1.ListMeta
 items 2 []node/v1.RuntimeClass always required
node/v1.Scheduling
 nodeSelector 1 {}string map=atomic
 tolerations 2 []core/v1.Toleration list=atomic
policy/v1.Eviction typed
 metadata 1 meta/v1.ObjectMeta
 deleteOptions 2 *meta/v1.DeleteOptions
policy/v1.PodDisruptionBudget typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 policy/v1.PodDisruptionBudgetSpec
 status 3 policy/v1.PodDisruptionBudgetStatus
policy/v1.PodDisruptionBudgetList typed
 metadata 1 meta/v1.ListMeta
 items 2 []policy/v1.PodDisruptionBudget always required
policy/v1.PodDisruptionBudgetSpec
 minAvailable 1 *intorstring
 selector 2 *meta/v1.LabelSelector patch=replace
 maxUnavailable 3 *intorstring
 unhealthyPodEvictionPolicy 4 *string as=v1.UnhealthyPodEvictionPolicyType
policy/v1.PodDisruptionBudgetStatus
 observedGeneration 1 int64
 disruptedPods 2 {}time
 disruptionsAllowed 3 int32 always
 currentHealthy 4 int32 always
 desiredHealthy 5 int32 always
 expectedPods 6 int32 always
 conditions 7 []meta/v1.Condition list=map(type) patch=merge mergekey=type
rbac/v1.AggregationRule
 clusterRoleSelectors 1 []meta/v1.LabelSelector list=atomic
rbac/v1.ClusterRole typed
 metadata 1 meta/v1.ObjectMeta
 rules 2 []rbac/v1.PolicyRule always list=atomic
 aggregationRule 3 *rbac/v1.AggregationRule
rbac/v1.ClusterRoleBinding typed
 metadata 1 meta/v1.ObjectMeta
 subjects 2 []rbac/v1.Subject list=atomic
 roleRef 3 rbac/v1.RoleRef always required
rbac/v1.ClusterRoleBindingList typed
 metadata 1 meta/v1.ListMeta
 items 2 []rbac/v1.ClusterRoleBinding always required
rbac/v1.ClusterRoleList typed
 metadata 1 meta/v1.ListMeta
 items 2 []rbac/v1.ClusterRole always required
rbac/v1.PolicyRule
 verbs 1 []string always required list=atomic
 apiGroups 2 []string list=atomic
 resources 3 []string list=atomic
 resourceNames 4 []string list=atomic
 nonResourceURLs 5 []string list=atomic
rbac/v1.Role typed
 metadata 1 meta/v1.ObjectMeta
 rules 2 []rbac/v1.PolicyRule always list=atomic
rbac/v1.RoleBinding typed
 metadata 1 meta/v1.ObjectMeta
 subjects 2 []rbac/v1.Subject list=atomic
 roleRef 3 rbac/v1.RoleRef always required
rbac/v1.RoleBindingList typed
 metadata 1 meta/v1.ListMeta
 items 2 []rbac/v1.RoleBinding always required
rbac/v1.RoleList typed
 metadata 1 meta/v1.ListMeta
 items 2 []rbac/v1.Role always required
rbac/v1.RoleRef atomic
 apiGroup 1 string always
 kind 2 string always required
 name 3 string always required
rbac/v1.Subject atomic
 kind 1 string always required
 apiGroup 2 string
 name 3 string always required
 namespace 4 string
resource/v1.AllocatedDeviceStatus
 driver 1 string always required
 pool 2 string always required
 device 3 string always required
 shareID 7 *string
 conditions 4 []meta/v1.Condition always list=map(type)
 data 5 *raw
 networkData 6 *resource/v1.NetworkDeviceData
resource/v1.AllocationResult
 devices 1 resource/v1.DeviceAllocationResult
 nodeSelector 3 *core/v1.NodeSelector
 allocationTimestamp 5 *time
resource/v1.CELDeviceSelector
 expression 1 string always required
resource/v1.CapacityRequestPolicy
 default 1 *quantity always
 validValues 3 []quantity list=atomic
 validRange 4 *resource/v1.CapacityRequestPolicyRange
resource/v1.CapacityRequestPolicyRange
 min 1 *quantity required
 max 2 *quantity
 step 3 *quantity
resource/v1.CapacityRequirements
 requests 1 {}quantity as=map[v1.QualifiedName]resource.Quantity
resource/v1.Counter
 value 1 quantity always required
resource/v1.CounterSet
 name 1 string always required
 counters 2 {}resource/v1.Counter required
resource/v1.Device
 name 1 string always required
 attributes 2 {}resource/v1.DeviceAttribute as=map[v1.QualifiedName]v1.DeviceAttribute
 capacity 3 {}resource/v1.DeviceCapacity as=map[v1.QualifiedName]v1.DeviceCapacity
 consumesCounters 4 []resource/v1.DeviceCounterConsumption list=atomic
 nodeName 5 *string
 nodeSelector 6 *core/v1.NodeSelector
 allNodes 7 *bool
 taints 8 []resource/v1.DeviceTaint list=atomic
 bindsToNode 9 *bool
 bindingConditions 10 []string list=atomic
 bindingFailureConditions 11 []string list=atomic
 allowMultipleAllocations 12 *bool
 nodeAllocatableResourceMappings 13 {}resource/v1.NodeAllocatableResourceMapping as=map[v1.ResourceName]v1.NodeAllocatableResourceMapping
resource/v1.DeviceAllocationConfiguration
 source 1 string always required as=v1.AllocationConfigSource
 requests 2 []string list=atomic
 ~ 3 resource/v1.DeviceConfiguration
resource/v1.DeviceAllocationResult
 results 1 []resource/v1.DeviceRequestAllocationResult list=atomic
 config 2 []resource/v1.DeviceAllocationConfiguration list=atomic
resource/v1.DeviceAttribute
 int 2 *int64
 bool 3 *bool
 string 4 *string
 version 5 *string
 ints 6 []int64 list=atomic
 bools 7 []bool list=atomic
 strings 8 []string list=atomic
 versions 9 []string list=atomic
resource/v1.DeviceCapacity
 value 1 quantity always required
 requestPolicy 2 *resource/v1.CapacityRequestPolicy
resource/v1.DeviceClaim
 requests 1 []resource/v1.DeviceRequest always list=atomic
 constraints 2 []resource/v1.DeviceConstraint list=atomic
 config 3 []resource/v1.DeviceClaimConfiguration list=atomic
resource/v1.DeviceClaimConfiguration
 requests 1 []string list=atomic
 ~ 2 resource/v1.DeviceConfiguration
resource/v1.DeviceClass typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 resource/v1.DeviceClassSpec always required
resource/v1.DeviceClassConfiguration
 ~ 1 resource/v1.DeviceConfiguration
resource/v1.DeviceClassList typed
 metadata 1 meta/v1.ListMeta
 items 2 []resource/v1.DeviceClass always required
resource/v1.DeviceClassSpec
 selectors 1 []resource/v1.DeviceSelector list=atomic
 config 2 []resource/v1.DeviceClassConfiguration list=atomic
 extendedResourceName 4 *string
resource/v1.DeviceConfiguration
 opaque 1 *resource/v1.OpaqueDeviceConfiguration
resource/v1.DeviceConstraint
 requests 1 []string list=atomic
 matchAttribute 2 *string as=v1.FullyQualifiedName
 distinctAttribute 3 *string as=v1.FullyQualifiedName
resource/v1.DeviceCounterConsumption
 counterSet 1 string always required
 counters 2 {}resource/v1.Counter required
resource/v1.DeviceRequest
 name 1 string always required
 exactly 2 *resource/v1.ExactDeviceRequest
 firstAvailable 3 []resource/v1.DeviceSubRequest list=atomic
resource/v1.DeviceRequestAllocationResult
 request 1 string always required
 driver 2 string always required
 pool 3 string always required
 device 4 string always required
 adminAccess 5 *bool
 tolerations 6 []resource/v1.DeviceToleration list=atomic
 bindingConditions 7 []string list=atomic
 bindingFailureConditions 8 []string list=atomic
 shareID 9 *string as=types.UID
 consumedCapacity 10 {}quantity as=map[v1.QualifiedName]resource.Quantity
resource/v1.DeviceSelector
 cel 1 *resource/v1.CELDeviceSelector
resource/v1.DeviceSubRequest
 name 1 string always required
 deviceClassName 2 string always required
 selectors 3 []resource/v1.DeviceSelector list=atomic
 allocationMode 4 string as=v1.DeviceAllocationMode
 count 5 int64
 tolerations 6 []resource/v1.DeviceToleration list=atomic
 capacity 7 *resource/v1.CapacityRequirements
resource/v1.DeviceTaint
 key 1 string always required
 value 2 string
 effect 3 string always required as=v1.DeviceTaintEffect
 timeAdded 4 *time
resource/v1.DeviceToleration
 key 1 string
 operator 2 string as=v1.DeviceTolerationOperator
 value 3 string
 effect 4 string as=v1.DeviceTaintEffect
 tolerationSeconds 5 *int64
resource/v1.ExactDeviceRequest
 deviceClassName 1 string always required
 selectors 2 []resource/v1.DeviceSelector list=atomic
 allocationMode 3 string as=v1.DeviceAllocationMode
 count 4 int64
 adminAccess 5 *bool
 tolerations 6 []resource/v1.DeviceToleration list=atomic
 capacity 7 *resource/v1.CapacityRequirements
resource/v1.NetworkDeviceData
 interfaceName 1 string
 ips 2 []string list=atomic
 hardwareAddress 3 string
resource/v1.NodeAllocatableResourceMapping
 capacityKey 1 *string as=v1.QualifiedName
 allocationMultiplier 2 *quantity
resource/v1.OpaqueDeviceConfiguration
 driver 1 string always required
 parameters 2 raw always required
resource/v1.ResourceClaim typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 resource/v1.ResourceClaimSpec always required
 status 3 resource/v1.ResourceClaimStatus
resource/v1.ResourceClaimConsumerReference
 apiGroup 1 string
 resource 3 string always required
 name 4 string always required
 uid 5 string always required as=types.UID
resource/v1.ResourceClaimList typed
 metadata 1 meta/v1.ListMeta
 items 2 []resource/v1.ResourceClaim always required
resource/v1.ResourceClaimSpec
 devices 1 resource/v1.DeviceClaim always
resource/v1.ResourceClaimStatus
 allocation 1 *resource/v1.AllocationResult
 reservedFor 2 []resource/v1.ResourceClaimConsumerReference list=map(uid) patch=merge mergekey=uid
 devices 4 []resource/v1.AllocatedDeviceStatus list=map(driver+device+pool+shareID)
resource/v1.ResourceClaimTemplate typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 resource/v1.ResourceClaimTemplateSpec always required
resource/v1.ResourceClaimTemplateList typed
 metadata 1 meta/v1.ListMeta
 items 2 []resource/v1.ResourceClaimTemplate always required
resource/v1.ResourceClaimTemplateSpec
 metadata 1 meta/v1.ObjectMeta
 spec 2 resource/v1.ResourceClaimSpec always required
resource/v1.ResourcePool
 name 1 string always required
 generation 2 int64 always required
 resourceSliceCount 3 int64 always required
resource/v1.ResourceSlice typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 resource/v1.ResourceSliceSpec always required
resource/v1.ResourceSliceList typed
 metadata 1 meta/v1.ListMeta
 items 2 []resource/v1.ResourceSlice always required
resource/v1.ResourceSliceSpec
 driver 1 string always required
 pool 2 resource/v1.ResourcePool always required
 nodeName 3 *string
 nodeSelector 4 *core/v1.NodeSelector
 allNodes 5 *bool
 devices 6 []resource/v1.Device list=atomic
 perDeviceNodeSelection 7 *bool
 sharedCounters 8 []resource/v1.CounterSet list=atomic
scheduling/v1.PriorityClass typed
 metadata 1 meta/v1.ObjectMeta
 value 2 int32 always
 globalDefault 3 bool
 description 4 string
 preemptionPolicy 5 *string as=v1.PreemptionPolicy
scheduling/v1.PriorityClassList typed
 metadata 1 meta/v1.ListMeta
 items 2 []scheduling/v1.PriorityClass always required
storage/v1.CSIDriver typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 storage/v1.CSIDriverSpec always required
storage/v1.CSIDriverList typed
 metadata 1 meta/v1.ListMeta
 items 2 []storage/v1.CSIDriver always required
storage/v1.CSIDriverSpec
 attachRequired 1 *bool
 podInfoOnMount 2 *bool
 volumeLifecycleModes 3 []string list=set as=[]v1.VolumeLifecycleMode
 storageCapacity 4 *bool
 fsGroupPolicy 5 *string as=v1.FSGroupPolicy
 tokenRequests 6 []storage/v1.TokenRequest list=atomic
 requiresRepublish 7 *bool
 seLinuxMount 8 *bool
 nodeAllocatableUpdatePeriodSeconds 9 *int64
 serviceAccountTokenInSecrets 10 *bool
 preventPodSchedulingIfMissing 11 *bool
storage/v1.CSINode typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 storage/v1.CSINodeSpec always required
storage/v1.CSINodeDriver
 name 1 string always required
 nodeID 2 string always required
 topologyKeys 3 []string always list=atomic
 allocatable 4 *storage/v1.VolumeNodeResources
storage/v1.CSINodeList typed
 metadata 1 meta/v1.ListMeta
 items 2 []storage/v1.CSINode always required
storage/v1.CSINodeSpec
 drivers 1 []storage/v1.CSINodeDriver always required list=map(name) patch=merge mergekey=name
storage/v1.CSIStorageCapacity typed
 metadata 1 meta/v1.ObjectMeta
 nodeTopology 2 *meta/v1.LabelSelector
 storageClassName 3 string always required
 capacity 4 *quantity
 maximumVolumeSize 5 *quantity
storage/v1.CSIStorageCapacityList typed
 metadata 1 meta/v1.ListMeta
 items 2 []storage/v1.CSIStorageCapacity always required
storage/v1.StorageClass typed
 metadata 1 meta/v1.ObjectMeta
 provisioner 2 string always required
 parameters 3 {}string
 reclaimPolicy 4 *string as=v1.PersistentVolumeReclaimPolicy
 mountOptions 5 []string list=atomic
 allowVolumeExpansion 6 *bool
 volumeBindingMode 7 *string as=v1.VolumeBindingMode
 allowedTopologies 8 []core/v1.TopologySelectorTerm list=atomic
storage/v1.StorageClassList typed
 metadata 1 meta/v1.ListMeta
 items 2 []storage/v1.StorageClass always required
storage/v1.TokenRequest
 audience 1 string always required
 expirationSeconds 2 *int64
storage/v1.VolumeAttachment typed
 metadata 1 meta/v1.ObjectMeta
 spec 2 storage/v1.VolumeAttachmentSpec always required
 status 3 storage/v1.VolumeAttachmentStatus
storage/v1.VolumeAttachmentList typed
 metadata 1 meta/v1.ListMeta
 items 2 []storage/v1.VolumeAttachment always required
storage/v1.VolumeAttachmentSource
 persistentVolumeName 1 *string
 inlineVolumeSpec 2 *core/v1.PersistentVolumeSpec
storage/v1.VolumeAttachmentSpec
 attacher 1 string always required
 source 2 storage/v1.VolumeAttachmentSource always required
 nodeName 3 string always required
storage/v1.VolumeAttachmentStatus
 attached 1 bool always required
 attachmentMetadata 2 {}string
 attachError 3 *storage/v1.VolumeError
 detachError 4 *storage/v1.VolumeError
storage/v1.VolumeAttributesClass typed
 metadata 1 meta/v1.ObjectMeta
 driverName 2 string always required
 parameters 3 {}string
storage/v1.VolumeAttributesClassList typed
 metadata 1 meta/v1.ListMeta
 items 2 []storage/v1.VolumeAttributesClass always required
storage/v1.VolumeError
 time 1 time
 message 2 string
 errorCode 3 *int32
storage/v1.VolumeNodeResources
 count 1 *int32
`;
