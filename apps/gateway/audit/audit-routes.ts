import { AuditPage, PageQuery } from '@adit/contracts';
import { z } from 'zod';
import { exampleAccessKey } from '../access-keys/access-key-routes.js';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { exampleKey } from '../keys/key-routes.js';

const text = z.string().max(512).optional();
const time = z.iso.datetime({ offset: true }).optional();

export const listAudit = defineRoute({
  method: 'GET',
  path: '/v1/audit-log/',
  summary: 'Who changed what, newest first',
  description:
    'Every change that was made through the API of this workspace, but for posted jobs and uploaded files. Names of fields ' +
    'are kept, values never. Changes of keys are in it before they are answered, all others within a second.',
  tag: 'Audit log',
  access: 'admin',
  query: PageQuery.extend({
    resource: text.describe('Kind of thing, e.g. api-keys'),
    resource_id: text.describe('Id of the thing'),
    action: text.describe('What was done, e.g. created, deleted or stop'),
    actor_id: text.describe('Id of the key that was used'),
    time_start: time.describe('ISO time; older changes are left out'),
    time_end: time.describe('ISO time; younger changes are left out'),
  }),
  reply: AuditPage,
  example: {
    reply: examplePage({
      id: 42,
      time: '2026-11-21T07:00:00.000000Z',
      actor: { kind: 'api-key', id: exampleKey.id, name: exampleKey.name },
      action: 'created',
      resource: 'access-keys',
      resource_id: exampleAccessKey.key,
      fields: ['name', 'type', 'scopes'],
      request_id: '7e0c9a54-0a3e-4f5b-9d56-6b1a2f0f3d11',
    }),
  },
});
