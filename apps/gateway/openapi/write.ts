import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';
import { documentPath, documentText } from './committed.js';

/** Writes docs/api/openapi.json anew; its spec fails when it differs from the routes. */
await mkdir(new URL('.', documentPath), { recursive: true });
await writeFile(documentPath, documentText());
