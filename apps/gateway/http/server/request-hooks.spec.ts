import { configureLogging } from '@adit/runtime';
import { recordSpans } from '@adit/runtime/spec-tracer';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gatewayAdapter } from './adapter.js';
import { addRequestHooks } from './request-hooks.js';

describe('the span of a request', () => {
  let fastify: FastifyInstance;
  let spans: ReturnType<typeof recordSpans>;

  beforeAll(() => {
    spans = recordSpans();
    fastify = gatewayAdapter({ trustProxy: [], maxBodyBytes: 1_000 }).getInstance<FastifyInstance>();
    addRequestHooks(fastify, [], { logs: true });
    fastify.get('/answers/:status', (request, reply) => {
      const { status } = request.params as { status: string };
      return reply.status(Number(status)).send('');
    });
  });
  afterAll(async () => {
    await fastify.close();
    spans.stop();
  });

  /** Calls on the span after it began with its attributes. */
  const saidOf = async (status: number): Promise<string[]> => {
    spans.said.length = 0;
    expect((await fastify.inject(`/answers/${status}`)).statusCode).toBe(status);
    return spans.said;
  };

  /** @hardening api: Traces and metrics break OpenTelemetry's conventions */
  it.each([500, 503, 507])('the span has failed when the answer is %i', async (status) => {
    expect(await saidOf(status)).toEqual([
      'GET /answers/:status: 1',
      `GET /answers/:status: error.type ${status}`,
      'GET /answers/:status: status 2',
    ]);
  });

  it.each([200, 304, 400, 404, 409, 429])('the span has not failed when the answer is %i', async (status) => {
    expect(await saidOf(status)).toEqual(['GET /answers/:status: 1']);
  });

  it('the span is logged without the values of its query', async () => {
    const lines: string[] = [];
    configureLogging({ level: 'info', format: 'json', to: { write: (line) => void lines.push(line) } });
    await fastify.inject('/answers/204?token=secret');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ name: 'gateway', msg: 'GET /answers/204', status: 204 });
    expect(lines[0]).not.toContain('secret');
  });
});
