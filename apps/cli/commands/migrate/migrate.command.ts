import { Command } from 'commander';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description(
      'Bring the database to this release and end; every process does it at its start, too, unless ADIT_MIGRATE is off.',
    )
    .addHelpText('after', '\nExample:\n  DATABASE_DRIVER=postgres DATABASE_URL_FILE=/secrets/database/url adit migrate')
    .action(async () => {
      const { migrateDatabase } = await import('./migrate.js');
      await migrateDatabase();
    });
}
