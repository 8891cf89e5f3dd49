import { isRecord } from '@adit/contracts';
import type { Exchange, RouteDefinition } from '../http/route.js';
import type { AuditLine } from './audit-log.js';
import { auditAction } from './audit-action.js';

/**
 * Returns the audit lines of a change that succeeded with this reply: one line, or one for each thing that it removed.
 */
export function auditLines(route: RouteDefinition, { caller, request }: Exchange, reply: unknown): AuditLine[] {
  const { params, body } = request;
  const line: AuditLine = {
    workspaceId: caller.workspaceId,
    time: new Date(),
    actorKind: caller.kind,
    actorId: caller.keyId,
    actorName: caller.name,
    ...auditAction(route, { params, body, reply }),
    requestId: request.id,
  };
  const removed = route.removes === undefined || !isRecord(reply) ? null : reply[route.removes];
  return Array.isArray(removed) ? removed.map((id) => ({ ...line, resourceId: String(id) })) : [line];
}
