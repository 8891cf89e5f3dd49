import { createHmac, timingSafeEqual } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { databaseNow, WorkspaceEntity } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { Authenticator } from '../auth/authenticator.js';
import type { Caller } from '../http/caller.js';

const LIFETIME_MS = 10 * 60_000;
/** Time by which clocks of databases may differ behind a fail-over. */
const SLACK_MS = 60_000;
const PURPOSE = 'adit media link';
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const LINK = new RegExp(`^((${UUID})\\.(\\d{1,6})\\.(${UUID})\\.(\\d{1,12}))\\.([\\w-]{43})$`);

export interface LinkedSource {
  workspaceId: string;
  jobId: string;
  /** Index of the source in the job. */
  source: number;
}

/**
 * Links that open one source of one job for minutes, signed with the stored form of the API key or session that asked for
 * them, which nobody is ever shown: every gateway knows those of the others, none is stored, and they end with the key or session.
 */
@Injectable()
export class MediaLinks {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
  ) {}

  async make(
    { signer: id }: Pick<Caller, 'signer'>,
    { jobId, source }: Omit<LinkedSource, 'workspaceId'>,
  ): Promise<{ link: string; timeExpires: Date }> {
    const signer = await this.authenticator.signer(id);
    if (signer === null) throw new AditError('UNAUTHENTICATED', 'The key or session that asks is no longer valid.');
    const now = await databaseNow(this.db);
    const seconds = Math.floor((Number(now) + LIFETIME_MS) / 1000);
    const content = [jobId, source, id, seconds].join('.');
    return { link: `${content}.${signatureOf(content, signer.secret)}`, timeExpires: new Date(seconds * 1000) };
  }

  /** Throws UNAUTHENTICATED for what was not made here, has expired, or was made by a key or session that is no longer valid. */
  async open(link: string): Promise<LinkedSource> {
    const [, content = '', jobId = '', source = '', id = '', seconds = '', signature = ''] = LINK.exec(link) ?? [];
    const signer = content === '' ? null : await this.authenticator.signer(id);
    if (signer === null) throw refusal();
    const { workspaceId } = signer.caller;
    if (!(await this.db.manager.existsBy(WorkspaceEntity, { id: workspaceId, timeDeleted: IsNull() }))) throw refusal();
    const right = Buffer.from(signatureOf(content, signer.secret));
    if (!timingSafeEqual(right, Buffer.from(signature))) throw refusal();
    const ends = Number(seconds) * 1000;
    const now = Number(await databaseNow(this.db));
    if (ends <= now || ends > now + LIFETIME_MS + SLACK_MS) throw refusal();
    return { workspaceId, jobId, source: Number(source) };
  }
}

/** 43 characters of base64url. */
function signatureOf(content: string, secret: string): string {
  return createHmac('sha256', secret).update(`${PURPOSE}\n${content}`).digest('base64url');
}

function refusal(): AditError {
  return new AditError(
    'UNAUTHENTICATED',
    'This link is no longer valid: ask for another by GET /v1/jobs/{jobId}/media/.',
  );
}
