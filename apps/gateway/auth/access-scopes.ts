import { AccessScope } from '@adit/contracts';
import type { Caller } from '../http/caller.js';
import type { RouteDefinition } from '../http/route.js';

/** What access keys are for: everything below these paths, and nothing else. */
const REACHABLE = [
  { below: '/v1/transcripts/', read: 'transcript.read', write: 'transcript.write' },
  { below: '/v1/exports/', read: 'export.read', write: 'export.write' },
] as const;

/** The scope by which the token of an access key reaches a route; null when none does. */
export function scopeOf({ method, path }: Pick<RouteDefinition, 'method' | 'path'>): AccessScope | null {
  const place = REACHABLE.find(({ below }) => path.startsWith(below));
  if (place === undefined) return null;
  return method === 'GET' ? place.read : place.write;
}

/** What a caller may do with transcripts and exports: API keys reach both, and readers change nothing. */
export function scopesOf({ role, scopes }: Pick<Caller, 'role' | 'scopes'>): AccessScope[] {
  switch (role) {
    case 'access-key':
      return [...scopes];
    case 'reader':
      return ['transcript.read', 'export.read'];
    case 'owner':
    case 'admin':
    case 'member':
      return AccessScope.options;
  }
}
