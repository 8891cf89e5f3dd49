export { accessOfBucket, bucketsWithAccess } from './bucket-access.js';
export { StoredCredentials, STORAGE_CREDENTIAL_ROWS } from './stored-credentials.js';
