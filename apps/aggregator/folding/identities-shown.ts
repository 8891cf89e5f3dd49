import type { JobModuleEntity } from '@adit/database';
import type { Segment } from '@adit/module-kit';
import type { EntityManager } from 'typeorm';

/** Segments read before the newest one: they are emitted about in the order of their ends. */
const WINDOW = 1000;

interface Shown {
  collection: string;
  number: number;
  frameStart: number;
  frameEnd: number;
}

type Span = Pick<Segment, 'frameStart' | 'frameEnd'>;

/**
 * Intervals in which identities of a film's segments are shown, as one module stored them: nobody is two faces at one
 * time.
 */
export class IdentitiesShown {
  private readonly added: Shown[] = [];
  private stored: Promise<Shown[]> | null = null;

  constructor(
    private readonly manager: EntityManager,
    private readonly of: { jobId: string; module: JobModuleEntity; sourceIndex: number },
  ) {}

  /** Numbers of a collection's identities in segments that share a frame with this one. */
  async beside(collection: string, { frameStart, frameEnd }: Span): Promise<Set<number>> {
    if (frameStart === null || frameEnd === null) return new Set();
    this.stored ??= this.read();
    const all = [...(await this.stored), ...this.added];
    const beside = all.filter((one) => one.collection === collection && one.frameStart <= frameEnd);
    return new Set(beside.filter((one) => one.frameEnd >= frameStart).map(({ number }) => number));
  }

  add(collection: string, { frameStart, frameEnd }: Span, number: number): void {
    if (frameStart !== null && frameEnd !== null) this.added.push({ collection, number, frameStart, frameEnd });
  }

  private read(): Promise<Shown[]> {
    const { jobId, module, sourceIndex } = this.of;
    return this.manager.query(
      `SELECT identity_collection AS collection, identity_number AS number, frame_start AS "frameStart", frame_end AS "frameEnd"
         FROM segments
        WHERE job_id = $1 AND module_id = $2 AND module_seq >= $3 AND source_index = $4 AND identity_number IS NOT NULL`,
      [jobId, module.moduleId, module.segmentCount - WINDOW, sourceIndex],
    );
  }
}
