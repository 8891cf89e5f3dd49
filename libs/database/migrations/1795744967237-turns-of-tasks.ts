import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = [
  { table: 'job_endings', index: 'IDX_e8f2bdc3fd6f1746df9fab95de', before: 'IDX_5d9192c97815c7dd6c85f59471' },
  { table: 'reports', index: 'IDX_a2ecb36e2b655d5c5d47b97974', before: 'IDX_2305b084f2eec31b1d2dadcec9' },
  { table: 'exports', index: 'IDX_9ce709afae95da252c174f8b17', before: 'IDX_a68618d1a22dde10de360f4c3d' },
  { table: 'dataset_erasures', index: 'IDX_0a845e9719266587ed5a60b18f', before: 'IDX_74045e9b274e2ef24df8597cc9' },
  { table: 'dataset_imports', index: 'IDX_1e22505880a27a4df2e35ecebd', before: 'IDX_d72974eb2c5fe669a251b4c7f6' },
  { table: 'trainings', index: 'IDX_112036cabeb6e1a55c9ffb83be', before: 'IDX_555c7c0d2f7ddb57b4023ba889' },
];

/** Indexes that find workspaces with open tasks by a step for each, however many tasks have ended. */
export class TurnsOfTasks1795744967237 implements MigrationInterface {
  readonly name = 'TurnsOfTasks1795744967237';

  async up(runner: QueryRunner): Promise<void> {
    for (const { table, index, before } of INDEXES) {
      await runner.query(
        `CREATE INDEX "${index}" ON "${table}"  ("workspace_id", "time_created") WHERE state IN ('waiting', 'processing')`,
      );
      await runner.query(`DROP INDEX "${before}"`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { table, index, before } of INDEXES) {
      await runner.query(
        `CREATE INDEX "${before}" ON "${table}"  ("time_created") WHERE state IN ('waiting', 'processing')`,
      );
      await runner.query(`DROP INDEX "${index}"`);
    }
  }
}
