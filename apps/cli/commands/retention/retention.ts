import { AditError, RETENTION_KINDS, RetentionRequest } from '@adit/contracts';
import type { EngineOptions } from '../../engine/engine-options.js';
import { onEngine, printJson } from '../../engine/engine-work.js';
import { printable, textTable } from '../../output/text-table.js';

export interface RetentionOptions extends EngineOptions {
  json?: boolean;
}

export interface UpcomingOptions extends RetentionOptions {
  /** Hours from now on. */
  within: number;
}

export function showRetention(options: RetentionOptions): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const retention = await client.request('GET /v1/retention/');
    const { tags } = await client.request('GET /v1/retention/holds/');
    if (options.json) return printJson({ ...retention, holds: tags });
    const rows = RETENTION_KINDS.map((kind) => [
      kind,
      shownTime(retention[kind] ?? retention.defaults[kind]),
      retention[kind] === null ? 'installation' : 'workspace',
      retention.pending.includes(kind) ? 'being applied' : '',
    ]);
    process.stdout.write(`${textTable(['Kind', 'Kept', 'By', ''], rows, ['left', 'right', 'left', 'left'])}\n`);
    if (tags.length > 0) process.stdout.write(`Under a legal hold: ${tags.map(printable).join(', ')}\n`);
  });
}

/** Changes some kinds and leaves the others as they are; null is the installation's value. */
export function setRetention(kinds: Record<string, number | null>, options: RetentionOptions): Promise<void> {
  const unknown = Object.keys(kinds).filter((kind) => !RETENTION_KINDS.some((known) => known === kind));
  if (unknown.length > 0) {
    throw new AditError(
      'VALIDATION',
      `There is no kind ${unknown.join(', ')}; there are ${RETENTION_KINDS.join(', ')}.`,
    );
  }
  return onEngine(options, async ({ client }) => {
    const former = await client.request('GET /v1/retention/');
    const own = Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, former[kind]]));
    const body = RetentionRequest.parse({ ...own, ...kinds });
    const retention = await client.request('PUT /v1/retention/', { body });
    if (options.json) return printJson(retention);
    for (const kind of RETENTION_KINDS) {
      if (kind in kinds) process.stdout.write(`${kind}: ${shownTime(retention[kind] ?? retention.defaults[kind])}\n`);
    }
  });
}

export function showUpcoming(options: UpcomingOptions): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const found = await client.request('GET /v1/retention/upcoming/', { query: { within_hours: options.within } });
    if (options.json) return printJson(found);
    const rows = found.kinds.map(({ kind, count, is_partial: isPartial, first: [next] }) => [
      kind,
      isPartial ? `${count} or more` : String(count),
      next === undefined ? '' : `${next.time.slice(0, 16)}Z  ${printable(next.name ?? next.id)}`,
    ]);
    process.stdout.write(`${textTable(['Kind', 'Count', 'Next'], rows, ['left', 'right', 'left'])}\n`);
  });
}

export function hold(tag: string, options: RetentionOptions): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const { tags } = await client.request('POST /v1/retention/holds/', { body: { tag } });
    if (options.json) return printJson({ tags });
    process.stdout.write(`Jobs with the tag ${printable(tag)} are under a legal hold.\n`);
  });
}

export function lift(tag: string, options: RetentionOptions): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const { tags } = await client.request('DELETE /v1/retention/holds/{heldTag}/', { params: { heldTag: tag } });
    if (options.json) return printJson({ tags });
    process.stdout.write(`The legal hold on the tag ${printable(tag)} is lifted.\n`);
  });
}

function shownTime(seconds: number | null): string {
  if (seconds === null) return 'for ever';
  if (seconds === 0) return 'none';
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`;
  return seconds % 3_600 === 0 ? `${seconds / 3_600} h` : `${seconds} s`;
}
