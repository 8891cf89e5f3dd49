import { AditError } from '@adit/contracts';
import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { ROUTE } from '../http/route.js';
import type { RouteDefinition } from '../http/route.js';
import type { Caller } from './caller.js';

/**
 * Refuses what the caller's role does not allow. The hook that reads the key runs before a body is read; should it be
 * missing, nothing but public routes is served.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const route = Reflect.getMetadata(ROUTE, context.getHandler()) as RouteDefinition | undefined;
    // Another app's controller in the same process answers for itself.
    if (route === undefined || route.access === 'public') return true;
    const { caller } = context.switchToHttp().getRequest<{ caller?: Caller }>();
    if (caller === undefined) throw new AditError('UNAUTHENTICATED', 'Send a valid API key.');
    if (route.access === 'admin' && caller.role !== 'admin') {
      throw new AditError('FORBIDDEN', 'Only an API key of the role admin may do this.');
    }
    return true;
  }
}
