import { nameIsDnsSubdomain } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import type { ObjectReference, ServiceAccount } from '../types/core-v1.ts';
import { append } from '../rules/append.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { mapped } from '../rules/objects.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const DEPRECATED = 'kubernetes.io/enforce-mountable-secrets';

const hasDeprecated = (account: ServiceAccount | undefined): boolean =>
  account?.metadata.annotations !== undefined && Object.hasOwn(account.metadata.annotations, DEPRECATED);

/** Only the name of a secret reference is kept: other fields would have no effect. */
function cleaned(account: ServiceAccount): ServiceAccount {
  if (!account.secrets) return account;
  const secrets = mapped(account.secrets, (reference): ObjectReference => {
    const keys = Object.keys(reference);
    if (keys.length === 0 || (keys.length === 1 && reference.name !== undefined)) return reference;
    return reference.name === undefined ? {} : { name: reference.name };
  });
  return secrets === account.secrets ? account : { ...account, secrets };
}

export const serviceAccountStrategy: KindStrategy<ServiceAccount> = {
  ...createGenericStrategy<ServiceAccount>({ namespaced: true, hasStatus: false, hasGeneration: false }),
  prepareForCreate: cleaned,
  prepareForUpdate: cleaned,
  validate: (account) => validateObjectMeta(account.metadata, RULES, 'metadata'),
  validateUpdate(account, old) {
    const errors = validateObjectMetaUpdate(account.metadata, old.metadata, 'metadata');
    append(errors, validateObjectMeta(account.metadata, RULES, 'metadata'));
    return errors;
  },
  warnings: (account, old) =>
    hasDeprecated(account) && !hasDeprecated(old)
      ? [
          `metadata.annotations[${DEPRECATED}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ]
      : [],
};
