import { AditError } from '@adit/contracts';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Authenticator } from '../auth/authenticator.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import type { Caller } from '../http/caller.js';

/** The event streams that this process has open: how many of each workspace, and whether they may go on. */
@Injectable()
export class OpenStreams {
  private readonly open = new Map<string, number>();

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'eventStreams'>,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
  ) {}

  /** Returns what ends it. Throws RATE_LIMITED when the workspace has as many as it may. */
  begin(workspaceId: string): () => void {
    const count = this.open.get(workspaceId) ?? 0;
    const { eventStreams } = this.config;
    if (count >= eventStreams) {
      throw new AditError(
        'RATE_LIMITED',
        `This workspace follows ${eventStreams} event streams already; end one, or follow all of it by GET /v1/events/.`,
        { retryAfterSeconds: 5 },
      );
    }
    this.open.set(workspaceId, count + 1);
    return () => {
      const left = (this.open.get(workspaceId) ?? 1) - 1;
      if (left === 0) this.open.delete(workspaceId);
      else this.open.set(workspaceId, left);
    };
  }

  /** Throws UNAUTHENTICATED when the key or session of a stream is no longer valid, or the session has moved to another workspace. */
  async mayGoOn({ workspaceId }: Pick<Caller, 'workspaceId'>, { headers, ip }: FastifyRequest): Promise<void> {
    const { authorization, cookie } = headers;
    const session = (authorization ?? '') === '' ? this.authenticator.sessionIn(cookie) : null;
    // Nobody has to be there for a page to follow events: that keeps no session.
    const now = await (session === null
      ? this.authenticator.authenticate({ authorization }, ip)
      : this.authenticator.sessionNow(session));
    if (now.workspaceId !== workspaceId) throw new AditError('UNAUTHENTICATED', 'The session is of another workspace.');
  }
}
