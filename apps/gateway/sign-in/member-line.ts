import type { MemberEntity } from '@adit/database';
import type { AuditLine } from '../audit/audit-log.js';

interface Done {
  action: 'created' | 'changed' | 'deleted';
  resource: 'members' | 'sessions';
  resourceId: string;
  requestId: string;
}

/** The line of the audit log about what signing in and out does. */
export function memberLine(
  { workspaceId, id, name }: Pick<MemberEntity, 'workspaceId' | 'id' | 'name'>,
  done: Done,
): AuditLine {
  return {
    ...{ workspaceId, time: new Date(), actorKind: 'member', actorId: id, actorName: name },
    ...{ ...done, fields: [] },
  };
}
