import { InstallationHealth } from '@adit/contracts';
import { defineRoute } from '../http/route.js';

export const getHealth = defineRoute({
  method: 'GET',
  path: '/v1/health/',
  summary: 'What runs, what lags, and what to do',
  description:
    'For people who run the service: looks at what it needs, what runs, and what waits. Keys of the role admin see the load of their ' +
    'own workspace, those of the role owner that of all. Probes are `/healthz` and `/readyz`; alerts are best made of `/metrics`.',
  tag: 'Health',
  access: 'admin',
  reply: InstallationHealth,
  example: {
    reply: {
      time: '2026-11-21T07:00:00.000000Z',
      problems: [
        {
          code: 'service_missing',
          about: 'decoder',
          message: 'No process of the service “decoder” runs: its work waits. Start one.',
        },
      ],
      dependencies: [
        { name: 'database', ok: true, reason: null, duration: 0.002 },
        { name: 'objects', ok: true, reason: null, duration: 0.004 },
      ],
      services: [
        { service: 'gateway', version: '0.2.0', processes: 2 },
        { service: 'aggregator', version: '0.2.0', processes: 1 },
      ],
      workspace: {
        ...{ jobs_waiting: 2, jobs_processing: 1, streams_waiting: 0, streams_reading: 1, webhooks_disabled: 0 },
        ...{ storage_used: 734003200, storage_bytes: null },
      },
      installation: null,
    },
  },
});
