import { randomBytes } from 'node:crypto';
import { AditError, isoTime } from '@adit/contracts';
import { inTransaction, InvitationEntity, isUuid, readPage, refuseBeyond } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hashApiKey } from '../auth/api-key.js';
import { workingSignIn } from '../auth/sign-in-settings.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { createInvitation, deleteInvitation, listInvitations } from './member-routes.js';

const LIFETIME_DAYS = 7;
/** Open invitations of one workspace. */
const MAX_OPEN = 100;

@Controller()
export class InvitationsController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listInvitations)
  async list({ query }: Input<typeof listInvitations>, { caller: { workspaceId }, request }: Exchange) {
    const found = this.db.manager
      .createQueryBuilder(InvitationEntity, 'i')
      .where('i.workspaceId = :workspaceId AND i.timeExpires > now()', { workspaceId });
    const { rows, total, next } = await readPage(found, query, [
      { by: 'i.timeCreated', kind: 'time' },
      { by: 'i.id', kind: 'uuid' },
    ]);
    return this.links.page(request, query, total, rows.map(shown), next);
  }

  @Route(createInvitation)
  async create({ body }: Input<typeof createInvitation>, { caller, newId: id, isDone, done }: Exchange) {
    const signIn = workingSignIn(this.config);
    if (signIn === null) {
      throw new AditError('CONFLICT', 'Nobody could accept an invitation: sign-in by a provider is not set up.');
    }
    const { workspaceId } = caller;
    const token = randomBytes(32).toString('base64url');
    const tokenHash = hashApiKey(token);
    const made = await inTransaction(this.db, async (manager) => {
      if (isDone) {
        // Nobody was told the link that it has.
        await manager.update(InvitationEntity, { id, workspaceId }, { tokenHash });
      } else {
        await done(manager);
        await insert(manager, { id, workspaceId, ...body, tokenHash });
      }
      return find(manager, workspaceId, id);
    });
    return { ...shown(made), link: `${signIn.base.href}console/#/invitation?token=${token}` };
  }

  @Route(deleteInvitation)
  async delete({ params: { invitationId } }: Input<typeof deleteInvitation>, { caller: { workspaceId } }: Exchange) {
    const { id } = await find(this.db.manager, workspaceId, invitationId);
    await this.db.manager.delete(InvitationEntity, { id, workspaceId });
    return { message: `Invitation ${id} was taken back.` };
  }
}

type NewInvitation = Pick<InvitationEntity, 'id' | 'workspaceId' | 'email' | 'role' | 'tokenHash'>;

async function insert(manager: EntityManager, row: NewInvitation): Promise<void> {
  const { id, workspaceId, email, role, tokenHash } = row;
  await manager.query('DELETE FROM invitations WHERE workspace_id = $1 AND time_expires <= now()', [workspaceId]);
  await refuseBeyond(manager, {
    ...{ kind: 'invitations', ownerId: workspaceId, most: MAX_OPEN },
    rows: 'SELECT 1 FROM invitations WHERE workspace_id = $1',
    message: `A workspace has at most ${MAX_OPEN} open invitations; take some back.`,
  });
  await manager.query(
    `INSERT INTO invitations (id, workspace_id, email, role, token_hash, time_expires)
     VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => ${LIFETIME_DAYS}))`,
    [id, workspaceId, email, role, tokenHash],
  );
}

async function find(manager: EntityManager, workspaceId: string, id: string): Promise<InvitationEntity> {
  const row = isUuid(id) ? await manager.findOneBy(InvitationEntity, { id, workspaceId }) : null;
  if (row === null) throw new AditError('NOT_FOUND', `There is no invitation ${id}.`);
  return row;
}

function shown({ id, email, role, timeCreated, timeExpires }: InvitationEntity) {
  return { id, email, role, time_created: isoTime(timeCreated), time_expires: isoTime(timeExpires) };
}
