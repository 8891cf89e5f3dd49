import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from './database.js';
import { schemaDifference } from './schema.js';

/**
 * `pnpm --filter @adit/database generate-migration NAME` writes migrations/<time>-NAME.ts from the difference between
 * the existing migrations and the entities. Read it before you add it to migrations/index.ts: a rename comes out as a
 * drop, and an index of an existing table as one that blocks writers (`makeIndex` in a migration of its own does
 * not).
 */
async function generate(name: string | undefined): Promise<void> {
  if (!name || !/^[a-z][a-z0-9-]*$/.test(name))
    throw new Error('Name the migration in kebab-case: generate-migration add-x.');
  const database = await openDatabase({ driver: 'pglite', directory: null });
  try {
    const { up, down } = await schemaDifference(database.dataSource);
    if (up.length === 0) {
      console.log('The migrations and the entities agree; nothing to write.');
      return;
    }
    const time = Date.now();
    const file = join(process.cwd(), 'migrations', `${time}-${name}.ts`);
    await writeFile(file, source(className(name, time), up, down), { flag: 'wx' });
    console.log(`Wrote ${file}. Read it, then add it to migrations/index.ts.`);
  } finally {
    await database.close();
  }
}

/** TypeORM orders migrations by the number that ends the class's name. */
function className(name: string, time: number): string {
  return name.replace(/(^|-)([a-z0-9])/g, (_match, _dash, letter: string) => letter.toUpperCase()) + String(time);
}

function source(name: string, up: string[], down: string[]): string {
  const statements = (queries: string[]) =>
    queries.map((query) => `    await runner.query(${literal(query)});`).join('\n');
  return `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ${name} implements MigrationInterface {
  readonly name = '${name}';

  async up(runner: QueryRunner): Promise<void> {
${statements(up)}
  }

  async down(runner: QueryRunner): Promise<void> {
${statements(down)}
  }
}
`;
}

function literal(query: string): string {
  return `\`${query.replace(/[\\`]/g, '\\$&').replaceAll('${', '\\${')}\``;
}

await generate(process.argv[2]);
