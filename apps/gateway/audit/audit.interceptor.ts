import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { mergeMap, tap, type Observable } from 'rxjs';
import type { Caller } from '../auth/caller.js';
import { routeIn } from '../http/route-of.js';
import type { RouteDefinition } from '../http/route.js';
import { AuditLog, type AuditLine } from './audit-log.js';
import { deedOf, isAudited } from './deed.js';

/** Every change that succeeded becomes a line of the audit log. Stands within the idempotency's, so replays are no changes. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(@Inject(AuditLog) private readonly audit: AuditLog) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const route = routeIn(context);
    const request = context.switchToHttp().getRequest<FastifyRequest & { caller?: Caller }>();
    const { caller } = request;
    if (route === undefined || caller === undefined || !isAudited(route)) return next.handle();
    const line = (reply: unknown) => lineOf(route, request, caller, reply);
    if (route.credential !== true) return next.handle().pipe(tap((reply) => this.audit.note(line(reply))));
    return next.handle().pipe(
      mergeMap(async (reply: unknown) => {
        await this.audit.write(line(reply));
        return reply;
      }),
    );
  }
}

function lineOf(route: RouteDefinition, request: FastifyRequest, caller: Caller, reply: unknown): AuditLine {
  const { params, body } = request;
  return {
    workspaceId: caller.workspaceId,
    time: new Date(),
    actorKind: caller.role === 'access-key' ? 'access-key' : 'api-key',
    actorId: caller.keyId,
    actorName: caller.name,
    ...deedOf(route, { params, body, reply }),
    requestId: request.id,
  };
}
