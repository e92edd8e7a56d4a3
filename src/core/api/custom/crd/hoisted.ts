/**
 * A definition as Kubernetes judges it. Parts that all versions say alike (always so with one version) belong to the
 * whole spec; findings name them there: `spec.validation.openAPIV3Schema`, not `spec.versions[0].schema.…`.
 */
import { deepEqual } from '../../../kube/immutable.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from '../../types/apiextensions-v1.ts';

interface SharedParts {
  readonly schema?: CustomResourceValidation;
  readonly subresources?: CustomResourceSubresources;
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[];
  readonly selectableFields?: readonly SelectableField[];
}

export interface HoistedSpec {
  /** Parts that all versions have in common. */
  readonly shared: SharedParts;
  /** The versions without the shared parts. */
  readonly versions: readonly CustomResourceDefinitionVersion[];
}

const PARTS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

export function hoist({ versions }: CustomResourceDefinitionSpec): HoistedSpec {
  const [first] = versions;
  if (first === undefined) return { shared: {}, versions };
  const common = PARTS.filter((part) => versions.every((version) => deepEqual(version[part], first[part])));
  const shared = Object.fromEntries(common.flatMap((part) => (first[part] === undefined ? [] : [[part, first[part]]])));
  const kept = versions.map((version) => {
    const copy: { -readonly [K in keyof CustomResourceDefinitionVersion]: CustomResourceDefinitionVersion[K] } = {
      ...version,
    };
    for (const part of common) delete copy[part];
    return copy;
  });
  return { shared, versions: kept };
}
