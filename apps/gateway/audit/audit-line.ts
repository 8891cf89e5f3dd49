import { isRecord } from '@adit/contracts';
import type { Exchange, RouteDefinition } from '../http/route.js';
import type { AuditLine } from './audit-log.js';
import { auditAction, type AuditAction } from './audit-action.js';

/**
 * Returns the audit lines of a change that succeeded with this reply: one line, or one for each thing that it removed.
 */
export function auditLines(route: RouteDefinition, { caller, request }: Exchange, reply: unknown): AuditLine[] {
  const { params, body } = request;
  const line = auditLine({ caller, request }, auditAction(route, { params, body, reply }));
  const removed = route.removes === undefined || !isRecord(reply) ? null : reply[route.removes];
  return Array.isArray(removed) ? removed.map((id) => ({ ...line, resourceId: String(id) })) : [line];
}

/** The line about one thing that a request did. */
export function auditLine({ caller, request }: Pick<Exchange, 'caller' | 'request'>, action: AuditAction): AuditLine {
  const { workspaceId, kind: actorKind, keyId: actorId, name: actorName } = caller;
  return { workspaceId, time: new Date(), actorKind, actorId, actorName, ...action, requestId: request.id };
}
