import { AditError, type ErrorDetail, type MediaType } from '@adit/contracts';
import { StorageEntryEntity } from '@adit/database';
import { checkSource, isPictureName, isSoundName } from '@adit/media';
import { keyOfFile } from '@adit/storage';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';

const STORAGE = /^storage:\/\/(.+)$/i;
const MAX_DETAILS = 20;
/** Checks a job's sources without opening them. */
@Injectable()
export class SourceChecks {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /** Guesses the job's media type. Throws VALIDATION or SOURCE_REFUSED with a pointer to each source that cannot be used. */
  async check(workspaceId: string, sources: string[]): Promise<MediaType> {
    const refused: { error: AditError; detail: ErrorDetail }[] = [];
    const refuse = (index: number, error: AditError): void => {
      const detail = { pointer: `/sources/${index}`, code: error.code.toLowerCase(), message: error.message };
      refused.push({ error, detail });
    };
    const stored = await this.stored(workspaceId, sources);
    sources.forEach((uri, index) => {
      try {
        checkSource(uri, this.config);
      } catch (error) {
        return refuse(index, AditError.from(error));
      }
      const key = STORAGE.exec(uri)?.[1];
      if (key === undefined || stored.get(key)?.uploaded === true) return;
      const why = stored.has(key) ? 'has not been uploaded completely' : 'does not exist';
      refuse(index, new AditError('SOURCE_REFUSED', `storage://${key} ${why}.`));
    });
    const [first] = refused;
    if (first !== undefined) {
      const errors = refused.slice(0, MAX_DETAILS).map(({ detail }) => detail);
      throw new AditError(first.error.code, errors.map(({ message }) => message).join(' '), { errors });
    }
    return this.guess(sources[0] ?? '', stored);
  }

  private async stored(workspaceId: string, sources: string[]): Promise<Map<string, StorageEntryEntity>> {
    const keys = [...new Set(sources.flatMap((uri) => STORAGE.exec(uri)?.[1] ?? []))];
    if (keys.length === 0) return new Map();
    const rows = await this.db.manager.findBy(StorageEntryEntity, { workspaceId, key: In(keys) });
    return new Map(rows.map((row) => [keyOfFile(row), row]));
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
