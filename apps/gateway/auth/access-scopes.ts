import { AccessScope, EXPORT_STRATEGIES, type ExportStrategy } from '@adit/contracts';
import type { Caller } from '../http/caller.js';
import type { RouteDefinition } from '../http/route.js';

/** Paths that access keys reach: everything below these, and nothing else. */
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

/**
 * The exports that an access key's export scopes reach: those of transcripts, and what its own list names. What only a newer
 * build knows is not reached here.
 */
export function reachedExports(listed: readonly string[]): ExportStrategy[] {
  return EXPORT_STRATEGIES.filter((strategy) => strategy === 'transcript_export' || listed.includes(strategy));
}

/** Scopes of a caller for transcripts and exports: API keys reach both, and readers change nothing. */
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
