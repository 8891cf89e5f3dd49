import { inTransaction, type Beside } from '@adit/database';
import { FORMER_SECRET_MILLISECONDS } from '@adit/webhooks';
import type { DataSource } from 'typeorm';
import { newSigningSecret } from '../auth/api-key.js';

/** Gives a workspace a new signing secret; the one before goes on signing beside it for a day. */
export async function renewSigningSecret(db: DataSource, workspaceId: string, beside: Beside): Promise<string> {
  const secret = newSigningSecret();
  await inTransaction(db, async (manager) => {
    await beside(manager);
    await manager.query(
      `UPDATE workspaces SET former_signing_secret = signing_secret, former_signing_secret_until = $3, signing_secret = $2
        WHERE id = $1`,
      [workspaceId, secret, new Date(Date.now() + FORMER_SECRET_MILLISECONDS)],
    );
  });
  return secret;
}
