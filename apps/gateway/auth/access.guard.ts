import { AditError } from '@adit/contracts';
import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { routeIn } from '../http/route.js';
import type { RouteDefinition } from '../http/route.js';
import { scopeOf } from './access-scopes.js';
import type { Caller } from '../http/caller.js';

/**
 * Refuses what the caller's role or scopes do not allow. The hook that reads the key runs before a body is read; should
 * it be missing, nothing but public routes is served.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const route = routeIn(context);
    // Another app's controller in the same process answers for itself.
    if (route === undefined || route.access === 'public') return true;
    const { caller } = context.switchToHttp().getRequest<{ caller?: Caller }>();
    if (caller === undefined) throw new AditError('UNAUTHENTICATED', 'Send a valid API key.');
    const why = refusalOf(caller, route);
    if (why !== null) throw new AditError('FORBIDDEN', why);
    return true;
  }
}

const OWNERS_ONLY = 'Only an API key of the role owner may do this: the first one of the installation.';

/** Null when the caller may take the route; otherwise what would be needed. */
export function refusalOf({ role, scopes }: Pick<Caller, 'role' | 'scopes'>, route: RouteDefinition): string | null {
  switch (role) {
    case 'owner':
      return null;
    case 'admin':
      return route.access === 'owner' ? OWNERS_ONLY : null;
    case 'access-key': {
      const scope = route.access === 'admin' || route.access === 'owner' ? null : scopeOf(route);
      if (scope === null) return 'The token of an access key reaches transcripts and exports only; use an API key.';
      return scopes.includes(scope) ? null : `The access key of this token needs the scope ${scope}.`;
    }
    case 'reader':
    case 'member':
      if (route.access === 'owner') return OWNERS_ONLY;
      if (route.access === 'admin') return 'Only an API key of the role admin may do this.';
      return role === 'member' || route.method === 'GET' ? null : 'An API key of the role reader changes nothing.';
  }
}
