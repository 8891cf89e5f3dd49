import { AditError } from '@adit/contracts';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { health, metricsPage } from '@adit/runtime';
import { Controller, Inject, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Route, defineRoute, type Exchange, type Input } from '../http/route.js';

const HealthReport = z.strictObject({
  ok: z.boolean(),
  state: z.enum(['starting', 'running', 'stopping']),
  checks: z.array(
    z.strictObject({ name: z.string(), ok: z.boolean(), tookMs: z.number(), reason: z.string().optional() }),
  ),
});

const livez = defineRoute({
  method: 'GET',
  path: '/healthz',
  summary: 'Whether the process works at all',
  tag: 'Operations',
  access: 'public',
  reply: HealthReport,
});
const readyz = defineRoute({
  method: 'GET',
  path: '/readyz',
  summary: 'Whether work can be sent here: database, bus and objects answer',
  tag: 'Operations',
  access: 'public',
  reply: HealthReport,
  errors: ['UNAVAILABLE'],
});
const metrics = defineRoute({
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics in the Prometheus text format',
  tag: 'Operations',
  access: 'public',
  reply: { contentType: 'text/plain', description: 'Prometheus text format' },
});

/** For orchestrators and collectors; outside the API's prefix. */
@Controller()
export class HealthController implements OnModuleInit, OnApplicationShutdown {
  private unregister: (() => void)[] = [];

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  onModuleInit(): void {
    this.unregister = [
      health.register('database', () => this.db.query('SELECT 1')),
      health.register('objects', () => this.objects.ping()),
    ];
  }

  onApplicationShutdown(): void {
    for (const unregister of this.unregister) unregister();
  }

  @Route(livez)
  livez() {
    return health.livez();
  }

  @Route(readyz)
  async readyz() {
    const report = await health.readyz();
    if (report.ok) return report;
    const failing = report.checks.filter(({ ok }) => !ok).map(({ name, reason }) => `${name}: ${reason}`);
    const why = failing.length > 0 ? failing.join('; ') : `the process is ${report.state}`;
    throw new AditError('UNAVAILABLE', `Not ready: ${why}.`, { retryAfterSeconds: 5 });
  }

  @Route(metrics)
  async metrics(_: Input<typeof metrics>, { reply }: Exchange) {
    const { contentType, body } = await metricsPage();
    return reply.header('content-type', contentType).send(body);
  }
}
