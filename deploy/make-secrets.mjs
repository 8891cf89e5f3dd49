// Passwords of this installation, made at its first start and kept in the volume `secrets`: `node make-secrets.mjs FOLDER`.
// POSTGRES_PASSWORD, S3_SECRET_KEY and ADIT_ENCRYPTION_KEY, where they are set, count instead.
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);

const postgres = keep('postgres-password', process.env.POSTGRES_PASSWORD);
keep('s3-secret-key', process.env.S3_SECRET_KEY);
keep('encryption-key', process.env.ADIT_ENCRYPTION_KEY);
write('database-url', `postgresql://adit:${encodeURIComponent(postgres)}@postgres:5432/adit`);

/** Writes the given secret, else keeps the existing one, else makes a random one. */
function keep(name, given) {
  const secret = given || read(name) || randomBytes(24).toString('base64url');
  write(name, secret);
  return secret;
}

function read(name) {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return null;
  }
}

/** Read by whoever runs in the containers that mount the volume, each as another user; written by nobody again. */
function write(name, secret) {
  if (read(name) === secret) return;
  const path = join(folder, name);
  rmSync(path, { force: true });
  writeFileSync(path, secret);
  chmodSync(path, 0o444);
}
