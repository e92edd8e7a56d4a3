// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { Json } from '../../kube/json.ts';
import type { ListMeta, ObjectMeta, Status } from '../../kube/meta-v1.ts';

export interface ConversionRequest {
  readonly uid?: string;
  readonly desiredAPIVersion?: string;
  readonly objects?: readonly Json[];
}

export interface ConversionResponse {
  readonly uid?: string;
  readonly convertedObjects?: readonly Json[];
  readonly result?: Status;
}

export interface ConversionReview {
  readonly request?: ConversionRequest;
  readonly response?: ConversionResponse;
}

export interface CustomResourceColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

export interface CustomResourceConversion {
  readonly strategy: string;
  readonly webhook?: WebhookConversion;
}

export interface CustomResourceDefinition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: CustomResourceDefinitionSpec;
  readonly status?: CustomResourceDefinitionStatus;
}

export interface CustomResourceDefinitionCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

export interface CustomResourceDefinitionList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly CustomResourceDefinition[];
}

export interface CustomResourceDefinitionNames {
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

export interface CustomResourceDefinitionSpec {
  readonly group: string;
  readonly names: CustomResourceDefinitionNames;
  readonly scope: string;
  readonly versions: readonly CustomResourceDefinitionVersion[];
  readonly conversion?: CustomResourceConversion;
  readonly preserveUnknownFields?: boolean;
}

export interface CustomResourceDefinitionStatus {
  readonly conditions?: readonly CustomResourceDefinitionCondition[];
  readonly acceptedNames?: CustomResourceDefinitionNames;
  readonly storedVersions?: readonly string[];
  readonly observedGeneration?: number;
}

export interface CustomResourceDefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: CustomResourceValidation;
  readonly subresources?: CustomResourceSubresources;
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[];
  readonly selectableFields?: readonly SelectableField[];
}

export interface CustomResourceSubresourceScale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface CustomResourceSubresourceStatus {
}

export interface CustomResourceSubresources {
  readonly status?: CustomResourceSubresourceStatus;
  readonly scale?: CustomResourceSubresourceScale;
}

export interface CustomResourceValidation {
  readonly openAPIV3Schema?: JSONSchemaProps;
}

export interface ExternalDocumentation {
  readonly description?: string;
  readonly url?: string;
}

export interface JSONSchemaProps {
  readonly id?: string;
  readonly '$schema'?: string;
  readonly '$ref'?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly default?: Json;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly Json[];
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: JSONSchemaProps | readonly JSONSchemaProps[];
  readonly allOf?: readonly JSONSchemaProps[];
  readonly oneOf?: readonly JSONSchemaProps[];
  readonly anyOf?: readonly JSONSchemaProps[];
  readonly not?: JSONSchemaProps;
  readonly properties?: { readonly [key: string]: JSONSchemaProps };
  readonly additionalProperties?: JSONSchemaProps | boolean;
  readonly patternProperties?: { readonly [key: string]: JSONSchemaProps };
  readonly dependencies?: { readonly [key: string]: JSONSchemaProps | readonly string[] };
  readonly additionalItems?: JSONSchemaProps | boolean;
  readonly definitions?: { readonly [key: string]: JSONSchemaProps };
  readonly externalDocs?: ExternalDocumentation;
  readonly example?: Json;
  readonly nullable?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

export interface SelectableField {
  readonly jsonPath: string;
}

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  readonly caBundle?: string;
}

export interface WebhookConversion {
  readonly clientConfig?: WebhookClientConfig;
  readonly conversionReviewVersions: readonly string[];
}
