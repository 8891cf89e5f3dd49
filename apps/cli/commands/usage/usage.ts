import type { QuotaUse } from '@adit/contracts';
import type { EngineOptions } from '../../engine/engine-options.js';
import { onEngine, printJson } from '../../engine/engine-work.js';
import { printable, textTable } from '../../output/text-table.js';

export interface UsageOptions extends EngineOptions {
  from?: string;
  to?: string;
  groupBy: string;
  all?: boolean;
  json?: boolean;
}

export function showUsage(options: UsageOptions): Promise<void> {
  const { from, to, groupBy, all } = options;
  const query = {
    group_by: groupBy,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(all === true && { workspaces: 'all' as const }),
  };
  return onEngine(options, async ({ client }) => {
    const usage = await client.request('GET /v1/usage/', { query });
    if (options.json) return printJson(usage);
    const rows = usage.rows.map((row) => [
      [row.workspace_id, row.day, row.module, row.key === null ? null : (row.key.name ?? row.key.id ?? 'unknown key')]
        .flatMap((part) => (part === null ? [] : [printable(part)]))
        .join('  '),
      ...[row.media_seconds, row.chunk_seconds, row.cpu_model_seconds, row.gpu_model_seconds].map((seconds) =>
        seconds.toFixed(1),
      ),
    ]);
    const head = ['', 'Media s', 'Analyses s', 'CPU s', 'GPU s'];
    process.stdout.write(`${usage.from} to ${usage.to}\n`);
    process.stdout.write(
      rows.length === 0
        ? 'Nothing was analysed.\n'
        : `${textTable(head, rows, ['left', 'right', 'right', 'right', 'right'])}\n`,
    );
    if (usage.quotas !== null && usage.quotas.length > 0) process.stdout.write(`\n${quotaTable(usage.quotas)}\n`);
  });
}

/** Where quotas stand, a line each. */
function quotaTable(quotas: readonly QuotaUse[]): string {
  const rows = quotas.map(({ quota, limit, used, left, time_reset: time }) => [
    ...[quota, String(limit), shownUse(used), shownUse(left)],
    time === null ? '' : `${time.slice(0, 16)}Z`,
  ]);
  return textTable(['Quota', 'Of', 'Used', 'Left', 'Starts anew'], rows, ['left', 'right', 'right', 'right', 'left']);
}

/** Bytes are whole, seconds are not. */
function shownUse(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
