/** Environment of a container. */
import { DEFAULTS } from './defaults.ts';
import { anyText, boolean, list, object, optional, required, secret, text } from './language.ts';
import { reference } from './references.ts';

const variable = object(
  'Variable',
  {
    name: required(text('env-name'), 'Name of the variable'),
    value: optional(anyText, 'The value; `$(NAME)` refers to variables further up'),
    valueFrom: optional(reference, 'A field of another component'),
    configMapKeyRef: optional(
      object('ConfigMapKeyRef', {
        name: required(text('dns-subdomain'), 'The ConfigMap'),
        key: required(text('config-key'), 'The key in it'),
        optional: optional(boolean, 'Start without it if it is missing'),
      }),
      'A key of a ConfigMap in the namespace',
    ),
    fieldRef: optional(
      object('FieldRef', {
        apiVersion: optional(text(), 'Version the path is written for', { default: `\`${DEFAULTS.fieldVersion}\`` }),
        fieldPath: required(text(), 'Field of the pod, such as `status.hostIP`'),
      }),
      'A field of the pod',
    ),
    resourceFieldRef: optional(
      object('ResourceFieldRef', {
        containerName: optional(text('dns-label'), 'Container to look at', { default: 'this one' }),
        resource: required(text(), 'Such as `limits.memory`'),
        divisor: optional(text(), 'Unit to count in', { default: '`1`' }),
      }),
      'A request or limit of a container',
    ),
  },
  {
    form: 'value',
    alternatives: ['value', 'valueFrom', 'configMapKeyRef', 'fieldRef', 'resourceFieldRef'],
    isAlternativeRequired: true,
  },
);

const secretVariable = object(
  'SecretVariable',
  {
    name: required(text('env-name'), 'Name of the variable'),
    value: optional(
      secret,
      'The text, or where to find it when the manifest is applied: `env:NAME`, `file:path`; `literal:` before a text that begins so by chance. It is never shown. Not allowed in a custom resource',
    ),
    secretRef: optional(
      object('SecretRef', {
        namespace: optional(text('dns-label'), 'Namespace of the Secret; a pod can only read its own'),
        name: required(text('dns-subdomain'), 'The Secret'),
        key: required(text('config-key'), 'The key in it'),
        optional: optional(boolean, 'Start without it if it is missing', { default: 'false' }),
      }),
      'A key of a Secret that exists',
    ),
    valueFrom: optional(reference, 'A field of another component'),
  },
  { form: 'value', alternatives: ['value', 'secretRef', 'valueFrom'], isAlternativeRequired: true },
);

const localRef = (kind: string) =>
  object(`${kind}Ref`, {
    name: required(text('dns-subdomain'), `The ${kind}`),
    optional: optional(boolean, 'Start without it if it is missing'),
  });

export const environment = object(
  'Environment',
  {
    variables: optional(
      list(variable, { key: 'name', form: 'named-map' }),
      'Plain variables, as a list or as a map of names',
    ),
    secrets: optional(
      list(secretVariable, { key: 'name', form: 'named-map' }),
      'Variables whose values nobody shall see, as a list or as a map of names. Texts go into one Secret, `<name>-env-secrets`',
    ),
    envFrom: optional(
      list(
        object(
          'EnvFrom',
          {
            prefix: optional(text(), 'Put before each name'),
            configMapRef: optional(localRef('ConfigMap'), 'All keys of a ConfigMap'),
            secretRef: optional(localRef('Secret'), 'All keys of a Secret'),
          },
          { alternatives: ['configMapRef', 'secretRef'], isAlternativeRequired: true },
        ),
      ),
      'Everything in a ConfigMap or Secret',
    ),
  },
  { form: 'env' },
);
