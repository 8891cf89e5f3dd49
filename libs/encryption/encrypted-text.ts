import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { AditError } from '@adit/contracts';

const VERSION = 'v1.';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** One kind of secret. Each kind has a key of its own, so that none can be read as another. */
export interface SecretKind {
  /** What its key is derived for. A new text makes what was encrypted before unreadable. */
  purpose: string;
  /** Subject of an error: `The address of the stream`. */
  name: string;
  /** What helps where the key is lost: `post the job again`. */
  remedy: string;
}

/**
 * Encrypts a secret for the database (AES-256-GCM). The workspace is authenticated with it, so that a row moved to
 * another workspace cannot be read there.
 */
export function encryptText(kind: SecretKind, text: string, workspaceId: string, key: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', derivedKey(kind, key), nonce).setAAD(Buffer.from(workspaceId));
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
}

/** Decrypts a secret. Throws UNAVAILABLE for another key: a process that has the right one can read it. */
export function decryptText(kind: SecretKind, encrypted: string, workspaceId: string, key: string | undefined): string {
  if (key === undefined) throw unreadable(kind, 'this process has no ADIT_ENCRYPTION_KEY');
  if (!encrypted.startsWith(VERSION)) throw unreadable(kind, 'it was encrypted by a later release');
  const bytes = Buffer.from(encrypted.slice(VERSION.length), 'base64url');
  try {
    const decipher = createDecipheriv('aes-256-gcm', derivedKey(kind, key), bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(workspaceId))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch (error) {
    throw unreadable(kind, 'ADIT_ENCRYPTION_KEY is not the one it was encrypted with', error);
  }
}

function derivedKey({ purpose }: SecretKind, key: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', purpose, 32));
}

function unreadable({ name, remedy }: SecretKind, reason: string, cause?: unknown): AditError {
  return new AditError(
    'UNAVAILABLE',
    `${name} cannot be read: ${reason}. Give all processes the same key, or ${remedy}.`,
    { cause },
  );
}
