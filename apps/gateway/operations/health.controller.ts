import { AditError } from '@adit/contracts';
import { health, metricsPage } from '@adit/runtime';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Route, defineRoute, type Exchange, type Input } from '../http/route.js';

const HealthReport = z
  .strictObject({
    ok: z.boolean().describe('Whether the check passed'),
    state: z.enum(['starting', 'running', 'stopping']).describe('State of the process'),
    checks: z
      .array(
        z
          .strictObject({
            name: z.string().describe('Name of the dependency'),
            ok: z.boolean().describe('Whether it can be used'),
            needed: z.boolean().describe('Whether readiness depends on it'),
            tookMs: z.number().describe('Milliseconds that the check took'),
            reason: z.string().optional().describe('Why it cannot be used; left out where it can'),
            detail: z.string().optional().describe('Further details'),
          })
          .meta({ id: 'HealthCheck' }),
      )
      .describe('Checks of the dependencies; empty except for /readyz'),
  })
  .meta({ id: 'HealthReport' });

const alive = { ok: true, state: 'running', checks: [] };

const livez = defineRoute({
  method: 'GET',
  path: '/healthz',
  summary: 'Whether the process works at all',
  description: 'Liveness probe: a process that answers is alive.',
  tag: 'Operations',
  access: 'public',
  reply: HealthReport,
  example: { reply: alive },
});
const startupz = defineRoute({
  method: 'GET',
  path: '/startupz',
  summary: 'Whether the process has started',
  description: 'Startup probe: 503 until the process has started.',
  tag: 'Operations',
  access: 'public',
  reply: HealthReport,
  errors: ['UNAVAILABLE'],
});
const readyz = defineRoute({
  method: 'GET',
  path: '/readyz',
  summary: 'Whether work can be sent here: what it needs answers',
  description: 'Readiness probe: 503 while a needed dependency is unavailable.',
  tag: 'Operations',
  access: 'public',
  reply: HealthReport,
  errors: ['UNAVAILABLE'],
  example: {
    reply: {
      ...alive,
      checks: [
        { name: 'database', ok: true, needed: true, tookMs: 2 },
        { name: 'objects', ok: true, needed: true, tookMs: 4 },
        { name: 'bus', ok: true, needed: false, tookMs: 3 },
      ],
    },
  },
});
const metrics = defineRoute({
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics in the Prometheus text format',
  description: 'Metrics for Prometheus. The operations documentation explains every metric and its alert.',
  tag: 'Operations',
  access: 'public',
  reply: { contentType: 'text/plain', description: 'Prometheus text format' },
});

/** Serves orchestrators and collectors, outside the API's prefix. */
@Controller()
export class HealthController {
  @Route(livez)
  livez() {
    return health.livez();
  }

  @Route(startupz)
  startupz() {
    const report = health.startupz();
    if (report.ok) return report;
    throw new AditError('UNAVAILABLE', 'Not started yet.', { retryAfterSeconds: 1 });
  }

  @Route(readyz)
  async readyz() {
    const report = await health.readyz();
    if (report.ok) return report;
    const failing = report.checks
      .filter(({ ok, needed }) => needed && !ok)
      .map(({ name, reason }) => `${name}: ${reason}`);
    const why = failing.length > 0 ? failing.join('; ') : `the process is ${report.state}`;
    throw new AditError('UNAVAILABLE', `Not ready: ${why}.`, { retryAfterSeconds: 5 });
  }

  @Route(metrics)
  async metrics(_: Input<typeof metrics>, { reply }: Exchange) {
    const { contentType, body } = await metricsPage();
    return reply.header('content-type', contentType).send(body);
  }
}
