import { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import { Catch } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KnownPaths } from './server/known-paths.js';
import { isOutOfSpace, problemHeaders, problemOf, refusalOf } from './problem.js';

const log = createLogger('gateway');

/** Every error leaves as problem+json, Fastify's own included, and never with a stack. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly paths: KnownPaths) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    // Bus handlers of the same process keep their own filters.
    if (host.getType() !== 'http') throw thrown;
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    let error = refusalOf(thrown);
    const [path] = request.url.split('?');
    if (error.code === 'NOT_FOUND' && (request.is404 || this.isAnother(request))) error = this.unrouted(request, reply);
    // Without the query, which may hold the token of an access key.
    const where = { method: request.method, path };
    if (error.code === 'UNAVAILABLE' || isOutOfSpace(thrown))
      log.warn({ ...where, reason: error.message }, 'request refused for now');
    else if (error.status >= 500 && error.code !== 'NOT_IMPLEMENTED' && error.code !== 'STORAGE_FULL')
      log.error({ ...where, err: thrown }, 'request failed');
    if (reply.sent || reply.raw.headersSent) {
      // The head is out already; all that is left is to end the connection so that the client sees it broke.
      reply.raw.destroy();
      return;
    }
    for (const [name, value] of Object.entries(problemHeaders(error))) reply.header(name, value);
    // Fastify closes behind each body that it does not take. Who still sends it would be cut off, often before the answer is
    // read; the body's watch throws away what comes, and ends whoever goes on for long. Only who sent too much is closed on.
    if (error.code !== 'RATE_LIMITED') reply.removeHeader('connection');
    reply.header('x-request-id', request.id);
    const problem = problemOf(error, path ?? '/', request.id);
    void reply
      .status(error.status)
      .serializer((body: unknown) => JSON.stringify(body))
      .send(problem);
  }

  /** Tells whether a route took the path for a variable's value that names another route. */
  private isAnother({ method, url }: FastifyRequest): boolean {
    return !this.paths.methodsOf(url.split('?')[0] ?? '/').includes(method);
  }

  /** 405 when the path exists with other methods, 404 otherwise. */
  private unrouted(request: FastifyRequest, reply: FastifyReply): AditError {
    const methods = this.paths.methodsOf(request.url.split('?')[0] ?? '/');
    if (methods.length === 0) return new AditError('NOT_FOUND', 'There is nothing at this address.');
    const names = methods.join(', ');
    reply.header('allow', names);
    return new AditError('METHOD_NOT_ALLOWED', `This address takes ${names}.`);
  }
}
