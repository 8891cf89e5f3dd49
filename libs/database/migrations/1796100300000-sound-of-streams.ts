import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the sound of live streams was stored. */
export class SoundOfStreams1796100300000 implements MigrationInterface {
  readonly name = 'SoundOfStreams1796100300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "streams" ADD "sound_us" bigint NOT NULL DEFAULT '0'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "streams" DROP COLUMN "sound_us"`);
  }
}
