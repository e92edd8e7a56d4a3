/** A CustomResourceDefinition turned into what the API server serves: one KindDefinition for each served version. */
import { encodeGoJson, type Json } from '../../kube/json.ts';
import { apiVersionOf, type KubeObject } from '../../kube/objects.ts';
import type { CustomForm, KindDefinition } from '../kind/kind-definition.ts';
import type { SubresourceDefinition } from '../schema/parse-resources.ts';
import { byVersionPriority } from '../registry/registry.ts';
import { checkObject, type Checked } from '../schema/check.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  SelectableField,
} from '../types/apiextensions-v1.ts';
import { isConditionTrue } from './crd/conditions.ts';
import { createCustomStrategy } from './custom-strategy.ts';
import { coerceEmbedded } from './schema/embedded.ts';
import { compileJsonPath } from './json-path.ts';
import { createCustomPrinter } from './printer.ts';
import { fieldErrorMessage } from '../../kube/field-errors.ts';
import { customNode } from './schema/schema-node.ts';
import { stepsOf } from './scale-paths.ts';
import { fill, fillAround, isBag, prune, withoutNulls } from './schema/shape.ts';
import { ANYTHING, type Structural, toStructural } from './schema/structural.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];
const SCALE_KIND = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** No kinds before the definition is Established, and only the served versions after. */
export function customKinds(definition: CustomResourceDefinition): readonly KindDefinition[] {
  if (!isConditionTrue(definition, 'Established')) return [];
  const { versions } = definition.spec;
  const served = versions.filter((version) => version.served);
  const names = served.map(({ name }) => name).toSorted(byVersionPriority);
  const storage = versions.find((version) => version.storage)?.name ?? '';
  const principal = names.includes(storage) ? storage : (names[0] ?? '');
  const schemas = new Map(versions.map((version) => [version.name, schemaOf(definition, version)]));
  return served.map((version) => define(definition, version, schemas, storage, version.name !== principal));
}

/** The schema of a version; where it has none, or unknown fields are preserved, nothing is pruned. */
function schemaOf({ spec }: CustomResourceDefinition, version: CustomResourceDefinitionVersion): Structural {
  const source = version.schema?.openAPIV3Schema;
  if (source === undefined) return ANYTHING;
  const result = toStructural(source);
  if (!result.ok) return { ...ANYTHING, source };
  return spec.preserveUnknownFields === true
    ? { ...result.structural, preserveUnknownFields: true }
    : result.structural;
}

function define(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  schemas: ReadonlyMap<string, Structural>,
  storageVersion: string,
  secondary: boolean,
): KindDefinition {
  const { group, names: wanted, scope } = definition.spec;
  const names = definition.status?.acceptedNames ?? wanted;
  const terminating = isConditionTrue(definition, 'Terminating');
  const schema = schemas.get(version.name) ?? ANYTHING;
  const namespaced = scope === 'Namespaced';
  const { scale, status } = version.subresources ?? {};
  const resource = names.plural;
  const { kind } = names;
  const name = `custom/${group}/${version.name}.${kind}`;
  return {
    group,
    version: version.name,
    resource,
    kind,
    namespaced,
    listKind: names.listKind ?? `${kind}List`,
    singular: names.singular ?? kind.toLowerCase(),
    verbs: terminating ? VERBS.filter((verb) => verb !== 'create') : VERBS,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources: [
      ...(status === undefined ? [] : [{ name: 'status', verbs: SUBRESOURCE_VERBS }]),
      ...(scale === undefined ? [] : [{ name: 'scale', verbs: SUBRESOURCE_VERBS, kind: SCALE_KIND }]),
    ] satisfies SubresourceDefinition[],
    schema: name,
    hasGeneration: true,
    storage: { group, version: storageVersion, resource, kind },
    selectableFields: selectableFields(version.selectableFields),
    printer: createCustomPrinter(version.additionalPrinterColumns),
    strategy: createCustomStrategy({ namespaced, schema, hasStatus: status !== undefined, scale }),
    custom: customForm(definition, version, schema, schemas, storageVersion, name),
    ...(version.deprecated === true ? { deprecated: deprecationOf(definition, version) } : {}),
    ...(secondary ? { secondary: true } : {}),
  };
}

function customForm(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  schema: Structural,
  schemas: ReadonlyMap<string, Structural>,
  storageVersion: string,
  name: string,
): CustomForm {
  const scale = version.subresources?.scale;
  const apiVersion = apiVersionOf({ group: definition.spec.group, version: version.name });
  const storedApiVersion = apiVersionOf({ group: definition.spec.group, version: storageVersion });
  const storageSchema = schemas.get(storageVersion) ?? ANYTHING;
  const node = customNode(schema, name);
  const readStored = (object: KubeObject): KubeObject => {
    const stored = schemas.get(object.apiVersion.slice(object.apiVersion.indexOf('/') + 1));
    return stored === undefined ? object : fill(prune(object, stored).value, stored);
  };
  // Only the stored version's defaults apply: a field that has no value there gets none by conversion.
  const converted = (object: KubeObject): KubeObject => withoutNulls(prune(object, schema).value, schema);
  return {
    check: (value) => checkCustom(value, schema),
    node,
    document: version.schema?.openAPIV3Schema,
    ...conversionOf(definition),
    defaultsOfApplied: (object) => fillAround(object, schema),
    readStored,
    converted,
    fromStored: (object) => {
      const read = readStored(object);
      return read.apiVersion === apiVersion ? read : converted({ ...read, apiVersion });
    },
    toStored: (object) =>
      object.apiVersion === storedApiVersion && storageVersion === version.name
        ? object
        : withoutNulls(prune({ ...object, apiVersion: storedApiVersion }, storageSchema).value, storageSchema),
    ...(scale === undefined
      ? {}
      : {
          scale: {
            specReplicas: stepsOf(scale.specReplicasPath),
            statusReplicas: stepsOf(scale.statusReplicasPath),
            ...(scale.labelSelectorPath ? { labelSelector: stepsOf(scale.labelSelectorPath) } : {}),
          },
        }),
  };
}

function conversionOf({ spec }: CustomResourceDefinition): Pick<CustomForm, 'conversion' | 'webhook'> {
  const { strategy, webhook } = spec.conversion ?? {};
  if (strategy !== 'Webhook') return { conversion: 'None' };
  return { conversion: 'Webhook', ...(webhook === undefined ? {} : { webhook }) };
}

const OBJECT_META = 'meta/v1.ObjectMeta';

function checkCustom(value: unknown, schema: Structural): Checked {
  if (!isBag(value)) return { object: {}, error: 'an object is expected', unknownFields: [] };
  const meta = checkObject(OBJECT_META, value['metadata'] ?? {});
  const unknownMeta = meta.unknownFields.map((path) => `metadata.${path}`);
  const pruned = prune(value, schema);
  const embedded = coerceEmbedded(pruned.value, schema);
  const checked = embedded.value as { readonly [key: string]: unknown };
  const error = meta.error ?? (embedded.error === undefined ? undefined : fieldErrorMessage(embedded.error));
  const object = checked['metadata'] === meta.object ? checked : { ...checked, metadata: meta.object };
  const unknownFields =
    unknownMeta.length + embedded.unknownFields.length === 0
      ? pruned.unknownFields
      : [...unknownMeta, ...embedded.unknownFields, ...pruned.unknownFields];
  return { object, error, unknownFields };
}

function selectableFields(fields: readonly SelectableField[] | undefined): KindDefinition['selectableFields'] {
  if (fields === undefined) return {};
  return Object.fromEntries(
    fields.map(({ jsonPath }) => {
      const read = compileJsonPath(jsonPath);
      return [
        jsonPath.replace(/^\./, ''),
        (object: KubeObject): string => {
          const [value] = read(object);
          if (value === undefined || value === null) return '';
          return typeof value === 'string' ? value : encodeGoJson(value as Json);
        },
      ];
    }),
  );
}

function deprecationOf({ spec }: CustomResourceDefinition, version: CustomResourceDefinitionVersion): string {
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { kind } = spec.names;
  const better = spec.versions
    .filter(
      ({ deprecated, name, served }) => served && deprecated !== true && byVersionPriority(name, version.name) < 0,
    )
    .map(({ name }) => name)
    .toSorted(byVersionPriority)[0];
  const use = better === undefined ? '' : `; use ${spec.group}/${better} ${kind}`;
  return `${spec.group}/${version.name} ${kind} is deprecated${use}`;
}
