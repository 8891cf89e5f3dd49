import { IsoTime, pageOf, PageQuery } from '@adit/contracts';
import { z } from 'zod';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { Flag, Message, UuidInPath } from '../http/shapes.js';

const tag = 'Members';
const role = z
  .enum(['admin', 'member', 'reader'])
  .meta({ id: 'MemberRole', description: 'The same as of an API key; owners are keys alone' });
const email = z.string().describe('Address of e-mail');

const Member = z
  .strictObject({
    id: z.uuid().describe('Id of the member'),
    name: z.string().describe('Name, as the provider of the sign-in says it'),
    email: email.nullable().describe('Address of e-mail, as the provider says it; null when it says none'),
    role: role.describe('Rights of the member'),
    source: z
      .enum(['invitation', 'claim'])
      .describe('`claim`: the provider says at each sign-in whether and as what; `invitation`: admins do'),
    time_created: IsoTime.describe('When they became a member'),
    time_last_seen: IsoTime.describe('When they signed in last'),
  })
  .meta({ id: 'Member' });

const Invitation = z
  .strictObject({
    id: z.uuid().describe('Id of the invitation'),
    email,
    role: role.describe('Rights that it gives'),
    time_created: IsoTime.describe('When it was made'),
    time_expires: IsoTime.describe('Until when it can be accepted'),
  })
  .meta({ id: 'Invitation' });

const Session = z
  .strictObject({
    id: z.uuid().describe('Id of the session'),
    member: z
      .strictObject({
        id: z.uuid().describe('Id of the member'),
        name: z.string().describe('Name of the member'),
      })
      .meta({ id: 'SessionMember' })
      .describe('Whose it is'),
    is_own: z.boolean().describe('Whether it is the one of this request'),
    time_created: IsoTime.describe('When somebody signed in'),
    time_last_used: IsoTime.describe('When it was used last, exact to a minute'),
    time_expires: IsoTime.describe('When it ends at the latest; sooner without any use'),
  })
  .meta({ id: 'Session' });

const exampleMember = {
  id: '6a1d9e02-3c57-4b8e-9f14-2d7c5b0e8a36',
  name: 'Ada Byron',
  email: 'ada@example.org',
  role: 'member' as const,
  source: 'invitation' as const,
  time_created: '2026-11-30T07:00:00.000000Z',
  time_last_seen: '2026-11-30T08:15:00.000000Z',
};
const exampleInvitation = {
  id: '0c8f2b7d-5e14-4a96-8d3b-7f1a6e9c2d50',
  email: 'ada@example.org',
  role: 'member' as const,
  time_created: '2026-11-30T07:00:00.000000Z',
  time_expires: '2026-12-07T07:00:00.000000Z',
};
const exampleSession = {
  id: 'd94e6a1b-8c3f-4275-b0e9-5a2c7d1f8e43',
  member: { id: exampleMember.id, name: exampleMember.name },
  is_own: false,
  time_created: '2026-11-30T08:15:00.000000Z',
  time_last_used: '2026-11-30T08:40:00.000000Z',
  time_expires: '2026-11-30T20:15:00.000000Z',
};

const memberParams = z.object({ memberId: UuidInPath.describe('Id of the member') });

export const listMembers = defineRoute({
  method: 'GET',
  path: '/v1/members/',
  summary: 'List the members of the workspace',
  description: 'People who sign in to the console by the provider of the installation, the longest ones first.',
  tag,
  access: 'admin',
  query: PageQuery,
  reply: pageOf(Member).meta({ id: 'MemberPage' }),
});

export const changeMember = defineRoute({
  method: 'PATCH',
  path: '/v1/members/:memberId/',
  summary: 'Change the role of a member',
  description: 'It counts within a second. 409 for one whose role the provider says.',
  tag,
  access: 'admin',
  credential: true,
  params: memberParams,
  body: z.strictObject({ role: role.describe('Rights of the member') }).meta({ id: 'MemberChange' }),
  reply: Member,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { body: { role: 'reader' }, reply: { ...exampleMember, role: 'reader' } },
});

export const removeMember = defineRoute({
  method: 'DELETE',
  path: '/v1/members/:memberId/',
  summary: 'Remove a member from the workspace',
  description:
    'Their sessions end, and name and address of e-mail are deleted with them; lines of the audit log keep the name. One whom the ' +
    'provider lets in by a claim comes back at their next sign-in. The keys that they made go on, unless `revoke_keys` is true: then those of ' +
    '`GET /v1/api-keys/?member_id=` and `GET /v1/access-keys/?member_id=` are revoked with them, and each is a line of the audit log. ' +
    '409: one of these is the last admin key; nothing is done then.',
  tag,
  access: 'admin',
  credential: true,
  params: memberParams,
  query: z.object({
    revoke_keys: Flag.default(false).describe('true: revoke the keys that they made, too; default false'),
  }),
  reply: Message,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { reply: { message: `Member ${exampleMember.id} was removed.` } },
});

export const listInvitations = defineRoute({
  method: 'GET',
  path: '/v1/invitations/',
  summary: 'List the open invitations of the workspace',
  description: 'Without their links, which are shown once, when they are made.',
  tag,
  access: 'admin',
  query: PageQuery,
  reply: pageOf(Invitation).meta({ id: 'InvitationPage' }),
  example: { reply: examplePage(exampleInvitation) },
});

export const createInvitation = defineRoute({
  method: 'POST',
  path: '/v1/invitations/',
  summary: 'Invite somebody to the workspace; the reply shows the link once',
  description:
    'Nothing is sent: pass the link on. It is good for seven days, once, for whoever signs in with this address of e-mail. A workspace has at ' +
    'most 100 open invitations. 409 where sign-in by a provider is not set up.',
  tag,
  access: 'admin',
  secret: true,
  credential: true,
  body: z
    .strictObject({
      email: z.email().max(254).describe('Address of e-mail that the provider knows them by'),
      role: role.default('member').describe('Rights that it gives; default `member`'),
    })
    .meta({ id: 'InvitationRequest' }),
  reply: Invitation.extend({ link: z.string().describe('Address to open; shown this once, never again') }).meta({
    id: 'CreatedInvitation',
  }),
  errors: ['CONFLICT'],
  example: {
    body: { email: exampleInvitation.email, role: exampleInvitation.role },
    reply: { ...exampleInvitation, link: 'https://adit.example.org/console/#/invitation?token=EXAMPLE' },
  },
});

export const deleteInvitation = defineRoute({
  method: 'DELETE',
  path: '/v1/invitations/:invitationId/',
  summary: 'Take an invitation back',
  description: 'Its link is good no more.',
  tag,
  access: 'admin',
  credential: true,
  params: z.object({ invitationId: UuidInPath.describe('Id of the invitation') }),
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `Invitation ${exampleInvitation.id} was taken back.` } },
});

export const listSessions = defineRoute({
  method: 'GET',
  path: '/v1/sessions/',
  summary: 'List the sessions of the members of the workspace',
  description: 'Browsers that are signed in by the provider and look at this workspace, the newest first.',
  tag,
  access: 'admin',
  query: PageQuery,
  reply: pageOf(Session).meta({ id: 'SessionPage' }),
  example: { reply: { total: 1, offset: 0, limit: 50, next: null, prev: null, data: [exampleSession] } },
});

export const endSession = defineRoute({
  method: 'DELETE',
  path: '/v1/sessions/:sessionId/',
  summary: 'End a session',
  description: 'The browser is signed out within a second; the member may sign in again.',
  tag,
  access: 'admin',
  credential: true,
  params: z.object({ sessionId: UuidInPath.describe('Id of the session') }),
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `Session ${exampleSession.id} was ended.` } },
});
