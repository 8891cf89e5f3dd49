import { decryptText, encryptText, type SecretKind } from '@adit/encryption';

const ADDRESS: SecretKind = {
  purpose: 'adit: addresses of streams',
  name: 'The address of the stream',
  remedy: 'post the job again',
};

/** Encrypts a stream's address for the database. */
export function encryptAddress(address: string, workspaceId: string, key: string): string {
  return encryptText(ADDRESS, address, workspaceId, key);
}

/** Decrypts an address. Throws UNAVAILABLE for another key: a process that has the right one can read it. */
export function decryptAddress(encrypted: string, workspaceId: string, key: string | undefined): string {
  return decryptText(ADDRESS, encrypted, workspaceId, key);
}
