import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { schemaText } from '@adit/client/generate';
import { pythonTypes } from '@adit/client/generate-python';
import { openApiDocument } from '@adit/gateway';
import { loadModules } from '@adit/modules';
import { chartSettings, withChartSettings } from './chart-settings.js';
import { configurationPage } from './configuration-page.js';

// npm run docs: writes what is made from code. The build lies one folder below the source.
const root = resolve(import.meta.dirname, '../../..');
const document = openApiDocument(await loadModules());
await writeFile(join(root, 'docs/reference/configuration.md'), configurationPage());
await writeFile(join(root, 'docs/api/openapi.json'), `${JSON.stringify(document, null, 2)}\n`);
await writeFile(join(root, 'libs/client/schema.ts'), schemaText(document));
await writeFile(join(root, 'libs/client-python/adit_client/types.py'), pythonTypes(document));
const schema = join(root, 'helm/adit/values.schema.json');
const names = chartSettings(await readFile(join(root, 'helm/adit/templates/_environment.tpl'), 'utf8'));
await writeFile(schema, withChartSettings(await readFile(schema, 'utf8'), names));
