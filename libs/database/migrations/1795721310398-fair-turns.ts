import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FairTurns1795721310398 implements MigrationInterface {
  readonly name = 'FairTurns1795721310398';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "IDX_9c9819b404bbaf887486a2943a" ON "dataset_classes"  ("workspace_id") WHERE state = 'processing'`,
    );
    await runner.query(
      `CREATE INDEX "IDX_41ca58c0d450dc467a33caf7ca" ON "dataset_classes"  ("workspace_id", "time_created") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(
      `CREATE INDEX "IDX_d46d4a9445984939de995cebb0" ON "dataset_images"  ("workspace_id") WHERE state = 'processing'`,
    );
    await runner.query(
      `CREATE INDEX "IDX_a7ac43ba888674507338311d58" ON "dataset_images"  ("workspace_id", "time_created") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(`DROP INDEX "IDX_0004c49881c8ca6ce05fe2fe9e"`);
    await runner.query(`DROP INDEX "IDX_44ac32068e289f7821f5e059c2"`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "IDX_44ac32068e289f7821f5e059c2" ON "dataset_images"  ("time_created") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(
      `CREATE INDEX "IDX_0004c49881c8ca6ce05fe2fe9e" ON "dataset_classes"  ("time_created") WHERE state IN ('waiting', 'processing')`,
    );
    await runner.query(`DROP INDEX "IDX_a7ac43ba888674507338311d58"`);
    await runner.query(`DROP INDEX "IDX_d46d4a9445984939de995cebb0"`);
    await runner.query(`DROP INDEX "IDX_41ca58c0d450dc467a33caf7ca"`);
    await runner.query(`DROP INDEX "IDX_9c9819b404bbaf887486a2943a"`);
  }
}
