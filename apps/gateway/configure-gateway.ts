import multipart from '@fastify/multipart';
import { RequestMethod } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { collectProcessMetrics } from '@adit/runtime';
import { addAccessHooks } from './auth/access-hooks.js';
import { Authenticator } from './auth/authenticator.js';
import { FailedLogins } from './auth/failed-logins.js';
import { RateLimits } from './auth/rate-limits.js';
import { RefusedBodies } from './auth/refused-bodies.js';
import { GATEWAY_CONFIG, type GatewayConfig } from './config.js';
import { allRoutes, UNPREFIXED } from './resources.js';
import { API_PREFIX } from './http/api-prefix.js';
import { addBodyParsers } from './http/bodies/body-parsers.js';
import { addBodyWatch } from './http/bodies/body-watch.js';
import { addCompression } from './http/server/compression.js';
import { KnownPaths } from './http/server/known-paths.js';
import { addOrderlyClose, type OrderlyClose } from './http/server/orderly-close.js';
import { ProblemFilter } from './http/problem.filter.js';
import { addRequestHooks } from './http/server/request-hooks.js';
import { addRevalidation } from './http/revalidation.js';
import { renewCertificate } from './http/server/tls.js';
import { requestValidation } from './http/validation.js';
import { Mutations } from './mutations.js';
import { CONSOLE_PATHS, SIGN_IN_PATH } from './pages/console.controller.js';
import { EDITOR_PATHS } from './pages/editor.controller.js';
import { SIGN_IN_ROUTES } from './sign-in/sign-in.controller.js';
import { OFFSET_STREAM } from './storage/tus.js';

/** Time that a client may take, once the gateway ends, to send the rest of a head or to fetch anything of its answer. */
const CLOSING_PATIENCE_MS = 5_000;

/**
 * Gives an application that holds GatewayModule, made with `gatewayAdapter`, the gateway's prefix, hooks, validation and
 * errors. Call it after `NestFactory.create` and before `init` or `listen`. A process that ends drains what it answers first.
 */
export async function configureGateway(app: NestFastifyApplication): Promise<OrderlyClose> {
  collectProcessMetrics();
  const fastify = app.getHttpAdapter().getInstance();
  const config = app.get<GatewayConfig>(GATEWAY_CONFIG, { strict: false });
  const orderlyClose = addOrderlyClose(fastify, CLOSING_PATIENCE_MS);
  renewCertificate(fastify, config);
  // Before the key is looked at: a body that was refused is watched like any other.
  addBodyWatch(fastify, config.uploadIdleSeconds);
  addRequestHooks(fastify, config.corsOrigins, { logs: config.logRequests });
  addAccessHooks(
    fastify,
    app.get(Authenticator, { strict: false }),
    app.get(FailedLogins, { strict: false }),
    app.get(RateLimits, { strict: false }),
    new RefusedBodies(config.refusedBytesPerMinute),
  );
  addRevalidation(fastify);
  addCompression(fastify);
  fastify.get('/', (_request, reply) => reply.redirect(config.console ? 'console/' : `${API_PREFIX}/docs`));
  const mutations = app.get<Mutations>(Mutations, { strict: false });
  fastify.decorate('runMutation', mutations.run.bind(mutations));
  addBodyParsers(fastify);
  await fastify.register(multipart, { throwFileSizeLimit: false });
  // Its handlers read the stream themselves.
  fastify.addContentTypeParser(OFFSET_STREAM, (_request, _payload, done) => done(null));
  app.setGlobalPrefix(API_PREFIX, {
    exclude: [
      ...[...UNPREFIXED, ...EDITOR_PATHS, ...CONSOLE_PATHS].map((path) => ({ path, method: RequestMethod.GET })),
      { path: SIGN_IN_PATH, method: RequestMethod.POST },
      ...SIGN_IN_ROUTES.map(({ path, method }) => ({ path, method: RequestMethod[method] })),
    ],
  });
  app.useGlobalPipes(requestValidation());
  app.useGlobalFilters(new ProblemFilter(new KnownPaths(allRoutes())));
  return orderlyClose;
}
