import { createHmac, timingSafeEqual } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { ApiKeyEntity, databaseNow, WorkspaceEntity } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
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
 * Links that open one source of one job for minutes, signed with the stored form of the API key that asked for them, which nobody
 * is ever shown: every gateway knows those of the others, none is stored, and they end with the key.
 */
@Injectable()
export class MediaLinks {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  async make(
    { workspaceId, keyId }: Pick<Caller, 'workspaceId' | 'keyId'>,
    { jobId, source }: Omit<LinkedSource, 'workspaceId'>,
  ): Promise<{ link: string; timeExpires: Date }> {
    const { hash } = await this.db.manager.findOneByOrFail(ApiKeyEntity, { id: keyId, workspaceId });
    const now = await databaseNow(this.db);
    const seconds = Math.floor((Number(now) + LIFETIME_MS) / 1000);
    const content = [jobId, source, keyId, seconds].join('.');
    return { link: `${content}.${signatureOf(content, hash)}`, timeExpires: new Date(seconds * 1000) };
  }

  /** Throws UNAUTHENTICATED for what was not made here, has expired, or was made by a key that is no longer valid. */
  async open(link: string): Promise<LinkedSource> {
    const [, content = '', jobId = '', source = '', keyId = '', seconds = '', signature = ''] = LINK.exec(link) ?? [];
    if (content === '') throw refusal();
    const key = await this.db.manager.findOneBy(ApiKeyEntity, { id: keyId });
    const workspace =
      key && (await this.db.manager.findOneBy(WorkspaceEntity, { id: key.workspaceId, timeDeleted: IsNull() }));
    if (key === null || workspace === null) throw refusal();
    const right = Buffer.from(signatureOf(content, key.hash));
    if (!timingSafeEqual(right, Buffer.from(signature))) throw refusal();
    const ends = Math.min(Number(seconds) * 1000, key.timeExpires === null ? Infinity : Number(key.timeExpires));
    const now = Number(await databaseNow(this.db));
    if (ends <= now || Number(seconds) * 1000 > now + LIFETIME_MS + SLACK_MS) throw refusal();
    return { workspaceId: workspace.id, jobId, source: Number(source) };
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
