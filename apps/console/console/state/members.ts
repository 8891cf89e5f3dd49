import type {
  CreatedInvitation,
  Invitation,
  InvitationRequest,
  Member,
  MemberRole,
  Session as SignedIn,
} from '@adit/client';
import { Observable } from '../../shared/observable.js';
import type { Session } from './session.js';

/** Sessions that are listed; the newest. */
const SESSIONS = 200;

/** Who belongs to the workspace, who is invited, and who is signed in. */
export class Members extends Observable {
  members: Member[] | null = null;
  invitations: Invitation[] = [];
  sessions: SignedIn[] = [];
  fault: unknown = null;

  constructor(readonly session: Session) {
    super();
  }

  async read(): Promise<void> {
    const { client } = this.session;
    try {
      const [members, invitations, sessions] = await Promise.all([
        all(client.items('GET /v1/members/')),
        all(client.items('GET /v1/invitations/')),
        client.request('GET /v1/sessions/', { query: { limit: SESSIONS } }),
      ]);
      Object.assign(this, { members, invitations, sessions: sessions.data, fault: null });
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  async changeRole({ id: memberId }: Member, role: MemberRole): Promise<void> {
    await this.session.client.request('PATCH /v1/members/{memberId}/', { params: { memberId }, body: { role } });
    await this.read();
  }

  /** Names of the keys that go on without the member, for people. */
  async keysOf({ id }: Member): Promise<string[]> {
    const { client } = this.session;
    const query = { member_id: id };
    const [apiKeys, accessKeys] = await Promise.all([
      all(client.items('GET /v1/api-keys/', { query })),
      client.request('GET /v1/access-keys/', { query }),
    ]);
    return [...apiKeys.map(({ name, prefix }) => `${name} (${prefix}…)`), ...accessKeys.map(({ name }) => name)];
  }

  async remove({ id: memberId }: Member, revokesKeys: boolean): Promise<void> {
    const query = { revoke_keys: revokesKeys };
    await this.session.client.request('DELETE /v1/members/{memberId}/', { params: { memberId }, query });
    await this.read();
  }

  async invite(body: InvitationRequest): Promise<CreatedInvitation> {
    const made = await this.session.client.request('POST /v1/invitations/', { body });
    void this.read();
    return made;
  }

  async takeBack({ id: invitationId }: Invitation): Promise<void> {
    await this.session.client.request('DELETE /v1/invitations/{invitationId}/', { params: { invitationId } });
    await this.read();
  }

  async end({ id: sessionId }: SignedIn): Promise<void> {
    await this.session.client.request('DELETE /v1/sessions/{sessionId}/', { params: { sessionId } });
    await this.read();
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
