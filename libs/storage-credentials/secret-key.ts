import type { SecretKind } from '@adit/encryption';

/** Secret keys of buckets, encrypted in the database. */
export const SECRET_KEY: SecretKind = {
  purpose: 'adit: secret keys of storage',
  name: 'The secret key of the storage credentials',
  remedy: 'store the credentials again',
};
