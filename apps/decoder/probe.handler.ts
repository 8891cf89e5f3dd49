import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BusContext } from '@adit/bus';
import { AditError, type Payload } from '@adit/contracts';
import { databaseNow, type ProbeResult } from '@adit/database';
import { answerProbe, refuseProbe, takeProbe } from '@adit/online-inference';
import { openStorageKey } from '@adit/storage';
import { accessOfBucket } from '@adit/storage-credentials';
import { fetchSource, parseSource, platformFault, probeMedia, type Admit } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DECODER_CONFIG, WORK_DIRECTORY, type DecoderConfig } from './config.js';
import { MemoryAdmission } from './memory-admission.js';

/** The client's deadline has passed by then. */
const LIMIT_SECONDS = 20;
/** Limit of a file that is copied to local disk for one answer. */
const MAX_BYTES = 2 * 1024 ** 3;

/** Subscriber of probes.requested: identifies the sources of a dry run. */
@Injectable()
export class ProbeHandler {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(DECODER_CONFIG) private readonly config: DecoderConfig,
    @Inject(WORK_DIRECTORY) private readonly workDirectory: string,
    @Inject(MemoryAdmission) private readonly memory: MemoryAdmission,
  ) {}

  async probe({ probeId: id }: Payload<'probes.requested'>, context: BusContext): Promise<void> {
    const asked = await takeProbe(this.db.manager, id);
    if (asked === null) return;
    const left = asked.timeCreated.getTime() + LIMIT_SECONDS * 1000 - Number(await databaseNow(this.db));
    if (left <= 0) return;
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(left)]);
    const directory = join(this.workDirectory, `probe-${id}`);
    try {
      const results: ProbeResult[] = [];
      for (const source of asked.sources)
        results.push(await this.probeSource(asked.workspaceId, source, directory, signal));
      await answerProbe(this.db.manager, id, results);
    } catch {
      await refuseProbe(this.db.manager, id);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  /** Throws errors that are not about the source. */
  private async probeSource(
    workspaceId: string,
    source: string,
    directory: string,
    signal: AbortSignal,
  ): Promise<ProbeResult> {
    try {
      // A whole film is not fetched for an answer; only its accessibility is checked.
      const { kind } = parseSource(source, this.config);
      if (kind === 'platform') return { facts: null, error: await platformFault(this.config.ytDlp) };
      const file = await fetchSource(source, {
        ...this.config,
        directory,
        maxBytes: MAX_BYTES,
        timeoutSeconds: LIMIT_SECONDS,
        idleTimeoutSeconds: LIMIT_SECONDS,
        signal,
        openStorage: (key) => openStorageKey(this.db.manager, this.objects, workspaceId, key),
        accessBucket: (bucket) => accessOfBucket(this.db.manager, { workspaceId, bucket }, this.config.encryptionKey),
      });
      try {
        const admit: Admit = (bytes, work) => this.memory.admit(bytes, work, signal);
        const { facts } = await probeMedia(file.path, { signal, film: this.config, admit, directory });
        return { facts, error: null };
      } finally {
        await rm(file.path, { force: true });
      }
    } catch (error) {
      const problem = AditError.from(error);
      if (signal.aborted || problem.retryable || problem.status >= 500) throw error;
      return { facts: null, error: problem.message };
    }
  }
}
