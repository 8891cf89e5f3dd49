import { createHmac } from 'node:crypto';
import type { AditClient } from '@adit/client';
import { AditError } from '@adit/contracts';
import type { EngineOptions } from '../../engine/engine-options.js';
import { onEngine, printJson } from '../../engine/engine-work.js';

export interface TranscriptLinkOptions extends EngineOptions {
  json?: boolean;
  readOnly?: boolean;
  /** Seconds. */
  expires: number;
  name: string;
}

/** Prints the address of the editor with a token in it. Throws VALIDATION without a server: the editor is served by one. */
export function linkTranscript(jobId: string, options: TranscriptLinkOptions): Promise<void> {
  const { server, readOnly = false, expires, name } = options;
  if (server === undefined) {
    const message = 'Say which engine serves the editor: --server http://127.0.0.1:8080, or ADIT_SERVER.';
    throw new AditError('VALIDATION', message);
  }
  return onEngine(options, async ({ client }) => {
    const transcriptId = await transcriptOf(client, jobId);
    const scopes = readOnly ? ['transcript.read' as const] : ['transcript.read' as const, 'transcript.write' as const];
    const { key, secret } = await client.request('POST /v1/access-keys/', { body: { name, type: 'jwt', scopes } });
    const until = Math.floor(Date.now() / 1_000) + expires;
    const token = `${key}.${signed({ exp: until }, secret)}`;
    const url = `${server.replace(/\/+$/, '')}/editor/${transcriptId}?token=${token}`;
    const ends = new Date(until * 1_000).toISOString();
    if (options.json) return printJson({ url, transcript_id: transcriptId, key, scopes, time_expiration: ends });
    process.stdout.write(`${url}\n`);
    process.stderr.write(`It works until ${ends}; access key ${key}.\n`);
  });
}

/** The newest of the job, or one that is made now. */
async function transcriptOf(client: AditClient, jobId: string): Promise<string> {
  for await (const { id } of client.items('GET /v1/transcripts/', { query: { job_id: jobId } })) return id;
  return (await client.request('POST /v1/transcripts/', { body: { job_id: jobId } })).id;
}

/** A JSON Web Token (RFC 7519) by HS256, the only algorithm that the service takes. */
function signed(claims: object, secret: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
