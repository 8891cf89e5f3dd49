import { AuditPage, PageQuery } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';

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
    actor_id: text.describe('Id of the key that was used'),
    time_start: time.describe('ISO time; older changes are left out'),
    time_end: time.describe('ISO time; younger changes are left out'),
  }),
  reply: AuditPage,
  example: {
    reply: {
      total: 1,
      offset: 0,
      limit: 10,
      next: null,
      prev: null,
      data: [
        {
          id: 42,
          time: '2026-11-21T07:00:00.000000Z',
          actor: { kind: 'api-key', id: '3d0f4c1e-7a52-4a0e-9a43-0f2d8a1b6c11', name: 'newsroom' },
          action: 'created',
          resource: 'access-keys',
          resource_id: 'x6BfU3o0gkq2mZr9TtYw',
          fields: ['name', 'type', 'scopes'],
          request_id: '7e0c9a54-0a3e-4f5b-9d56-6b1a2f0f3d11',
        },
      ],
    },
  },
});
