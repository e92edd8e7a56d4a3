/** Defaults of CustomResourceDefinitions. */
import type { CustomResourceDefinition, CustomResourceDefinitionSpec } from '../../types/apiextensions-v1.ts';

const NO_CONVERSION = Object.freeze({ strategy: 'None' });

export function defaultDefinition(definition: CustomResourceDefinition): CustomResourceDefinition {
  const spec = withNames(withConversion(definition.spec));
  return spec === definition.spec ? definition : { ...definition, spec };
}

function withNames(spec: CustomResourceDefinitionSpec): CustomResourceDefinitionSpec {
  const { names } = spec;
  const singular = names.singular || names.kind.toLowerCase();
  const listKind = names.listKind || (names.kind === '' ? '' : `${names.kind}List`);
  if (singular === (names.singular ?? '') && listKind === (names.listKind ?? '')) return spec;
  return { ...spec, names: { ...names, ...(singular ? { singular } : {}), ...(listKind ? { listKind } : {}) } };
}

function withConversion(spec: CustomResourceDefinitionSpec): CustomResourceDefinitionSpec {
  const { conversion } = spec;
  if (conversion === undefined) return { ...spec, conversion: NO_CONVERSION };
  const service = conversion.webhook?.clientConfig?.service;
  if (conversion.webhook === undefined || service === undefined || service.port !== undefined) return spec;
  const clientConfig = { ...conversion.webhook.clientConfig, service: { ...service, port: 443 } };
  return { ...spec, conversion: { ...conversion, webhook: { ...conversion.webhook, clientConfig } } };
}
