import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { AditError } from '@adit/contracts';
import { verifyMessage, type Verdict } from '@adit/webhooks';
import { z } from 'zod';

interface VerifyOptions {
  body: string;
  headers?: string;
  secretFile?: string;
  at?: string;
}

/** Reads what a receiver kept and judges it. Throws VALIDATION when a file cannot be read or there is no secret. */
export async function verifyFiles(options: VerifyOptions, env: NodeJS.ProcessEnv): Promise<Verdict> {
  const { secretFile, at } = options;
  const secret =
    secretFile === undefined ? env['ADIT_WEBHOOK_SECRET'] : (await contents(secretFile)).replace(/\r?\n$/, '');
  if (secret === undefined || secret === '') {
    throw new AditError(
      'VALIDATION',
      'Name the file that holds the secret with --secret-file, or set ADIT_WEBHOOK_SECRET.',
    );
  }
  return verifyMessage({
    secret,
    headers: options.headers === undefined ? {} : parseHeaders(await contents(options.headers)),
    body: options.body === '-' ? await text(process.stdin) : await contents(options.body),
    ...(at === undefined ? {} : { now: timeOf(at) }),
  });
}

const Headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** `name: value` lines, with or without the request line before them, or a JSON object. */
export function parseHeaders(given: string): z.infer<typeof Headers> {
  if (given.trimStart().startsWith('{')) {
    try {
      return Headers.parse(JSON.parse(given));
    } catch {
      throw new AditError('VALIDATION', 'The headers are neither "name: value" lines nor a JSON object of strings.');
    }
  }
  const lines = given.split(/\r?\n/).map((line) => /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/.exec(line));
  return Object.fromEntries(lines.flatMap((line) => (line === null ? [] : [[line[1] ?? '', (line[2] ?? '').trim()]])));
}

async function contents(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => {
    throw new AditError('VALIDATION', `${path} cannot be read.`);
  });
}

function timeOf(given: string): Date {
  const time = /^\d+(\.\d+)?$/.test(given) ? new Date(Number(given) * 1000) : new Date(given);
  if (Number.isNaN(time.getTime()))
    throw new AditError('VALIDATION', `${given} is no time: give ISO 8601 or Unix seconds.`);
  return time;
}
