import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configurationPage } from './configuration-page.js';

// npm run docs: writes the pages that are made from code. The build lies one folder below the source.
await writeFile(join(import.meta.dirname, '../../../docs/configuration.md'), configurationPage());
