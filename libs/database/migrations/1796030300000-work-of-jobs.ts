import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from '../concurrent-index.js';

const INDEXES = {
  jobs_admitted: `"jobs" ("workspace_id") WHERE admitted AND state IN ('waiting', 'processing') AND time_deleted IS NULL`,
  chunks_in_flight: `"chunks" ("job_id") WHERE state IN ('requested', 'decoded')`,
  chunks_planned: `"chunks" ("job_id", "source_start", "position") WHERE state = 'planned'`,
  job_sources_requested: `"job_sources" ("job_id") WHERE state = 'requested'`,
  job_sources_waiting: `"job_sources" ("job_id", "index") WHERE state = 'waiting'`,
};

/** The scheduler reads what is in flight and what comes next, however much waits or has ended. */
export class WorkOfJobs1796030300000 implements MigrationInterface {
  readonly name = 'WorkOfJobs1796030300000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(INDEXES)) await makeIndex(runner, name, `ON ${definition}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await dropIndex(runner, name);
  }
}
