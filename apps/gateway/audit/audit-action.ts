import type { RouteDefinition } from '../http/route.js';

/** An action and its subject, as far as the route and the request name them. */
export interface AuditAction {
  action: string;
  resource: string;
  resourceId: string | null;
  fields: string[];
}

const ACTIONS = { POST: 'created', PUT: 'replaced', PATCH: 'changed', DELETE: 'deleted' } as const;

/** Changes, but not the work itself: posted jobs and uploaded files are listed, with their times, where they are. */
export function isAudited({ method, path, access }: RouteDefinition): boolean {
  if (method === 'GET' || access === 'public') return false;
  if (method === 'POST' && path === '/v1/jobs/') return false;
  return !/^\/v\d+\/storage\//.test(path) || method === 'DELETE';
}

/**
 * `POST /v1/jobs/:jobId/stop/` is `stop` of `jobs`; a plural at the end is a collection that something was added to. Of the
 * body only the names of its fields are taken, of the reply only the member that identifies what was made.
 */
export function auditAction(
  route: RouteDefinition,
  request: { params: unknown; body: unknown; reply: unknown },
): AuditAction {
  const names = route.path.split('/').filter((part) => part !== '' && !part.startsWith(':') && !/^v\d+$/.test(part));
  const last = names.at(-1) ?? '';
  const isAlone = names.length === 1;
  const isCommand = route.method === 'POST' && !last.endsWith('s') && (!isAlone || route.resource === null);
  const ids = isPlain(request.params) ? Object.values(request.params).map(String) : [];
  const made = !isCommand && route.method === 'POST' ? memberOf(request.reply, route.identifiedBy ?? 'id') : null;
  return {
    // Only routes that change something come here.
    action: isCommand ? last : ACTIONS[route.method as keyof typeof ACTIONS],
    resource: (isCommand && !isAlone ? names.slice(0, -1) : names).join('/'),
    resourceId: [...ids, ...(made === null ? [] : [made])].join('/') || null,
    fields: isPlain(request.body) ? Object.keys(request.body).slice(0, 50) : [],
  };
}

function memberOf(reply: unknown, name: string): string | null {
  const value = isPlain(reply) ? reply[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
