import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';
import { writeSchema } from '@adit/client/generate';
import { loadModules } from '@adit/modules';
import { documentPath, documentText } from './committed.js';
import { openApiDocument } from './document.js';

/** Writes docs/api/openapi.json and the client's types of it anew; their specs fail when they differ from the routes. */
await mkdir(new URL('.', documentPath), { recursive: true });
await writeFile(documentPath, await documentText());
await writeSchema(openApiDocument(await loadModules()));
