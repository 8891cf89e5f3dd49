import type { InvitationEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Takes back what a workspace has open for an address: one that is left would undo what becomes of the member. */
export async function takeBackInvitations(
  manager: EntityManager,
  { workspaceId, email }: Pick<InvitationEntity, 'workspaceId'> & { email: string | null },
): Promise<void> {
  await manager.query('DELETE FROM invitations WHERE workspace_id = $1 AND lower(email) = lower($2)', [
    workspaceId,
    email,
  ]);
}
