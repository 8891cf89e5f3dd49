export { decryptText, encryptText, type SecretKind } from './encrypted-text.js';
export { ownEncryptionKey } from './own-key.js';
export { EncryptionSettings } from './settings.js';
