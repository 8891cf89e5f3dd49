import { DiskUse } from '@adit/contracts';
import { defineRoute } from '../http/route.js';

export const getDiskUse = defineRoute({
  method: 'GET',
  path: '/v1/disk-use/',
  summary: 'Disk use of the installation, by kind',
  description:
    'As it was measured last: every hour (`ADIT_DISK_USE_MINUTES`), by one process, so that asking costs nothing. What a workspace ' +
    'has stored of its own is in `GET /v1/workspaces/`.',
  tag: 'Workspaces',
  access: 'owner',
  reply: DiskUse,
  example: {
    reply: {
      kinds: [
        { kind: 'uploads', bytes: 734003200, objects: 100, time_measured: '2026-03-02T18:00:00.000000Z' },
        { kind: 'database', bytes: 52428800, objects: null, time_measured: '2026-03-02T18:00:00.000000Z' },
      ],
    },
  },
});
