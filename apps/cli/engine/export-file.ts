import { basename, resolve } from 'node:path';
import type { Operations } from '@adit/client';
import { AditError } from '@adit/contracts';
import { printable } from '../output/text-table.js';
import { download } from './download.js';
import { printJson, untilEnded, type EngineWork } from './engine-work.js';

type ExportOrder = Operations['POST /v1/exports/']['body'];

interface Wanted {
  /** Target file; by default the export's own name in this folder. */
  out?: string | undefined;
  /** Prints the export as JSON, with its file. */
  json?: boolean | undefined;
}

/** Has an engine make an export, and writes its file on this machine. */
export async function exportFile(order: ExportOrder, { out, json }: Wanted, at: EngineWork): Promise<void> {
  const { client, signal } = at;
  const { id: exportId } = await client.request('POST /v1/exports/', { body: order });
  const ask = () => client.request('GET /v1/exports/{exportId}/', { params: { exportId } });
  const made = await untilEnded('Exporting', ask, at);
  if (made.state === 'failed') throw new AditError('INTERNAL', made.error_msg ?? 'The export failed.');
  const [artifact] = (await client.request('GET /v1/exports/{exportId}/artifacts/', { params: { exportId } })).data;
  if (artifact === undefined) throw new AditError('NOT_FOUND', 'The export left no file.');
  const file = resolve(out ?? basename(artifact.filename));
  const params = { exportId, artifactId: artifact.id };
  const key = 'GET /v1/exports/{exportId}/artifacts/{artifactId}/file/';
  await download(await client.raw(key, { params, signal }), file);
  for (const note of made.notes) process.stderr.write(`${printable(note)}\n`);
  if (json) printJson({ ...made, file });
  else process.stdout.write(`${file}\n`);
}
