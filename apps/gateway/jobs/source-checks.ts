import { AditError, type ErrorDetail, type MediaType } from '@adit/contracts';
import { StorageEntryEntity } from '@adit/database';
import {
  checkLive,
  hidesSecrets,
  isPictureName,
  isSoundName,
  liveProtocol,
  parseSource,
  shownAddress,
  srtListenPort,
} from '@adit/media';
import type { NewJob } from '@adit/jobs';
import { keyOfFile } from '@adit/storage';
import { bucketsWithAccess } from '@adit/storage-credentials';
import { encryptAddress, isListenedAt } from '@adit/streams';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';

const STORAGE = /^storage:\/\/(.+)$/i;
const BUCKET = /^s3:\/\/([^/]+)/i;
const MAX_DETAILS = 20;

type CheckedSources = Pick<NewJob, 'mediaType' | 'live'> & { sources: string[] };

/** Checks a job's sources without opening them. */
@Injectable()
export class SourceChecks {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * Returns the sources as they may be shown, and a guess of the job's media type. Throws VALIDATION or SOURCE_REFUSED
   * with a pointer to each source that cannot be used, CONFLICT for a port that another stream waits at.
   * @param said - what the client says of them
   */
  async check(workspaceId: string, sources: string[], said?: MediaType): Promise<CheckedSources> {
    const isStream = (uri: string): boolean => said === 'videostream' || liveProtocol(uri) !== null;
    const refused: { error: AditError; detail: ErrorDetail }[] = [];
    const refuse = (index: number, error: AditError): void => {
      const detail = { pointer: `/sources/${index}`, code: error.code.toLowerCase(), message: error.message };
      refused.push({ error, detail });
    };
    const stored = await this.stored(workspaceId, sources);
    const buckets = await this.buckets(workspaceId, sources);
    sources.forEach((uri, index) => {
      try {
        if (isStream(uri)) this.checkLive(uri, sources.length);
        else checkNamed(parseSource(uri, this.config), stored, buckets);
      } catch (error) {
        refuse(index, AditError.from(error));
      }
    });
    const [first] = refused;
    if (first !== undefined) {
      const errors = refused.slice(0, MAX_DETAILS).map(({ detail }) => detail);
      throw new AditError(first.error.code, errors.map(({ message }) => message).join(' '), { errors });
    }
    const [uri = ''] = sources;
    if (isStream(uri)) return this.live(workspaceId, uri);
    return { sources, mediaType: this.guess(uri, stored) };
  }

  private checkLive(uri: string, count: number): void {
    checkLive(uri, this.config);
    if (count > 1) {
      throw new AditError('VALIDATION', 'A live stream is the only source of its job: post a job for each.');
    }
    if (!hidesSecrets(uri) || this.config.encryptionKey !== undefined) return;
    throw new AditError(
      'VALIDATION',
      'The address holds a user name, password or query. They are stored encrypted, for which this installation needs ADIT_ENCRYPTION_KEY.',
    );
  }

  private async live(workspaceId: string, uri: string): Promise<CheckedSources> {
    const { encryptionKey, srtListenPorts } = this.config;
    const port = srtListenPort(uri);
    if (port !== null && (await isListenedAt(this.db.manager, port))) {
      const message = `Another stream waits for calls at port ${port}, and a port takes one stream. The ports of this installation are ${srtListenPorts.join(', ')}.`;
      throw new AditError('CONFLICT', message, { errors: [{ pointer: '/sources/0', code: 'conflict', message }] });
    }
    const isSecret = hidesSecrets(uri) && encryptionKey !== undefined;
    const address = isSecret ? encryptAddress(uri, workspaceId, encryptionKey) : null;
    return { sources: [shownAddress(uri)], mediaType: 'videostream', live: { address } };
  }

  private async stored(workspaceId: string, sources: string[]): Promise<Map<string, StorageEntryEntity>> {
    const keys = [...new Set(sources.flatMap((uri) => STORAGE.exec(uri)?.[1] ?? []))];
    if (keys.length === 0) return new Map();
    const rows = await this.db.manager.findBy(StorageEntryEntity, { workspaceId, key: In(keys) });
    return new Map(rows.map((row) => [keyOfFile(row), row]));
  }

  /** Those of the sources' buckets that can be opened. */
  private buckets(workspaceId: string, sources: string[]): Promise<Set<string>> {
    const named = sources.flatMap((uri) => BUCKET.exec(uri)?.[1] ?? []);
    return bucketsWithAccess(this.db.manager, workspaceId, named);
  }

  private guess(uri: string, stored: Map<string, StorageEntryEntity>): MediaType {
    const entry = stored.get(STORAGE.exec(uri)?.[1] ?? '');
    const kind = entry?.contentType?.split('/')[0];
    if (kind === 'image' || kind === 'audio' || kind === 'video') return kind;
    const path = entry?.name ?? uri.replace(/[?#].*$/s, '');
    // A guess for the time until the probe has looked at the content.
    if (isPictureName(path)) return 'image';
    if (isSoundName(path)) return 'audio';
    return path.toLowerCase().endsWith('.pdf') ? 'pdf' : 'video';
  }
}

/** Throws SOURCE_REFUSED for a file that is not stored, or a bucket that nothing opens. */
function checkNamed(
  source: ReturnType<typeof parseSource>,
  stored: ReadonlyMap<string, StorageEntryEntity>,
  buckets: ReadonlySet<string>,
): void {
  if (source.kind === 'storage' && stored.get(source.key)?.uploaded !== true) {
    const why = stored.has(source.key) ? 'has not been uploaded completely' : 'does not exist';
    throw new AditError('SOURCE_REFUSED', `storage://${source.key} ${why}.`);
  }
  if (source.kind === 'bucket' && !buckets.has(source.bucket)) {
    throw new AditError(
      'SOURCE_REFUSED',
      `The workspace has no storage credentials for the bucket ${source.bucket}; an admin stores them by POST /v1/storage-credentials/.`,
    );
  }
}
