import type { Export, Operations } from '@adit/client';
import type { Session } from './session.js';

/** How often an export is asked for that is being written. */
const POLL_MS = 1_000;

/** Has an export made; answers its file when it is there. Throws what the service says where it failed. */
export async function exportedFile(
  { client }: Session,
  body: Operations['POST /v1/exports/']['body'],
  signal: AbortSignal,
): Promise<{ filename: string; reply: Response }> {
  let written: Export = await client.request('POST /v1/exports/', { body });
  const params = { exportId: written.id };
  while (written.state === 'waiting' || written.state === 'processing') {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    signal.throwIfAborted();
    written = await client.request('GET /v1/exports/{exportId}/', { params, signal });
  }
  if (written.state === 'failed') throw new Error(written.error_msg ?? '');
  const { data } = await client.request('GET /v1/exports/{exportId}/artifacts/', { params, query: { limit: 1 } });
  const { id: artifactId = '', filename = '' } = data[0] ?? {};
  const reply = await client.raw('GET /v1/exports/{exportId}/artifacts/{artifactId}/file/', {
    params: { ...params, artifactId },
    signal,
  });
  return { filename, reply };
}
