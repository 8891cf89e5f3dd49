import { hash, randomBytes } from 'node:crypto';

export const KEY_PREFIX = 'adit_';
/** Enough to recognise a key in a list, too little to guess the rest: 4 of its 43 random characters. */
const SHOWN = KEY_PREFIX.length + 4;

/** A new key: 32 random bytes in base64url behind `adit_`. */
export function newApiKey(): string {
  return `${KEY_PREFIX}${randomBytes(32).toString('base64url')}`;
}

/** Returns the stored form of a key: lower-case hex SHA-256. A key has 256 random bits, so no slow hash is needed. */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Returns the visible beginning of a key that was made here. */
export function shownPrefix(key: string): string {
  return key.slice(0, SHOWN);
}

/** The signing secret of a workspace, in Standard Webhooks' form: `whsec_` and base64. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
