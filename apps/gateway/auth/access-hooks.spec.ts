import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import createFastify, { type FastifyInstance } from 'fastify';
import { isJobPost, needsKey } from './access-hooks.js';

describe('a key', () => {
  it.each([
    ...['/', '/healthz', '/healthz/', '/startupz', '/readyz', '/metrics', '/metrics?name=x', '/%6detrics'],
    ...['/api/docs', '/api/docs/', '/api/docs/assets/page.js', '/api/openapi.json', '/api/openapi.json/'],
    ...['/editor/42', '/editor/42/', '/editor/assets/app.js', '/editor/42?token=x', '/api/d%6Fcs'],
    ...['/console', '/console/', '/console/assets/app.js', '/api/v1/media/?link=x', '/api/v1/media'],
    ...['/console/session', '/console/oidc/start', '/console/oidc/callback?code=x'],
  ])('a key is not needed for %s', (url) => {
    expect(needsKey(url)).toBe(false);
  });

  it.each([
    ...['/api/v1/jobs/', '/api/v1/jobs', '/api', '/api/', '/x'],
    ...['/healthzz', '/xhealthz', '/x/healthz', '/healthz/x', '/metrics/x', '/healthz/readyz', '/healthz//'],
    ...[
      '/api/docsx',
      '/x/api/docs',
      '/api/v1/api/docs/',
      '/api/openapi.jsonx',
      '/api/openapi_json',
      '/api/openapi.json/x',
    ],
    ...[
      '/editor',
      '/editor/',
      '/editor/42/x',
      '/editor/assets/x/y',
      '/editor/other/x',
      '/x/editor/42',
      '/api/editor/42',
    ],
    ...['/console/session/end', '/console/session/workspaces/x', '/console/oidc', '/console/oidc/x'],
    ...['/console/x', '/console/assets', '/console/assets/', '/console/assets/x/y', '/x/console', '/api/v1/media/x'],
    // Paths that no router takes are open to nobody.
    ...['/healthz%zz', '/%zz', '/api%2Fv1%2Fjobs'],
  ])('a key is needed for %s', (url) => {
    expect(needsKey(url)).toBe(true);
  });
});

describe('a request that makes a job', () => {
  let fastify: FastifyInstance;
  beforeAll(() => {
    fastify = createFastify();
    const answer = async (request: Parameters<typeof isJobPost>[0]) => isJobPost(request);
    for (const url of ['/api/v1/jobs', '/api/v1/jobs/', '/api/v1/jobs/:jobId/', '/x/api/v1/jobs/'])
      fastify.all(url, answer);
    fastify.setNotFoundHandler(answer);
  });
  afterAll(() => fastify.close());

  it.each([
    ...['/api/v1/jobs', '/api/v1/jobs/', '/api/v1/jobs/?dry_run=false', '/api/v1/jobs/?dry_run=0', '/api/v1/jobs/?x=1'],
  ])('a request that makes a job is a POST to %s', async (url) => {
    expect((await fastify.inject({ method: 'POST', url })).json()).toBe(true);
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      expect([method, (await fastify.inject({ method, url })).json()]).toEqual([method, false]);
    }
  });

  it.each([
    ...['/api/v1/jobs/?dry_run=true', '/api/v1/jobs/?dry_run=1', '/api/v1/jobs/?dry_run='],
    ...['/api/v1/jobs/42/', '/x/api/v1/jobs/', '/nowhere'],
  ])('a request to %s makes no job', async (url) => {
    expect((await fastify.inject({ method: 'POST', url })).json()).toBe(false);
  });
});
