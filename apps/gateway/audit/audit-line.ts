import type { Exchange, RouteDefinition } from '../http/route.js';
import type { AuditLine } from './audit-log.js';
import { auditAction } from './audit-action.js';

/** What the audit log says of a change that succeeded with this reply. */
export function auditLine(route: RouteDefinition, { caller, request }: Exchange, reply: unknown): AuditLine {
  const { params, body } = request;
  return {
    workspaceId: caller.workspaceId,
    time: new Date(),
    actorKind: caller.role === 'access-key' ? 'access-key' : 'api-key',
    actorId: caller.keyId,
    actorName: caller.name,
    ...auditAction(route, { params, body, reply }),
    requestId: request.id,
  };
}
