import { AditClient } from '@adit/client';
import { AditError, QuotasChange } from '@adit/contracts';
import { printable, textTable } from '../../output/text-table.js';

interface WorkspaceOptions {
  /** Address of the engine. */
  server: string;
  json?: boolean;
}

/** Prints the workspaces of an engine; each of these needs its owner's key in ADIT_API_KEY. */
export async function listWorkspaces({ server, json }: WorkspaceOptions): Promise<void> {
  const found = [];
  for await (const page of clientOf(server).pages('GET /v1/workspaces/')) found.push(...page);
  if (json) return print(found);
  const rows = found.map(({ id, name, storage_used: used, storage_bytes: most, time_created: made }) => [
    id,
    printable(name),
    String(used),
    most === null ? 'as configured' : most === 0 ? 'no limit' : String(most),
    made.slice(0, 10),
  ]);
  process.stdout.write(
    `${textTable(['Id', 'Name', 'Bytes', 'Limit', 'Made'], rows, ['left', 'left', 'right', 'right'])}\n`,
  );
}

export async function createWorkspace(name: string, { server, json }: WorkspaceOptions): Promise<void> {
  const made = await clientOf(server).request('POST /v1/workspaces/', { body: { name } });
  if (json) return print(made);
  process.stdout.write(`Workspace ${made.id}\nIts first API key, shown once: ${made.key}\n`);
}

/** Shows the quotas of a workspace, after it has changed some of them; null ends one. */
export async function workspaceQuotas(
  id: string,
  changes: Record<string, number | null>,
  { server, json }: WorkspaceOptions,
): Promise<void> {
  const known = ['storage_bytes', ...QuotasChange.keyof().options];
  const unknown = Object.keys(changes).filter((quota) => !known.some((one) => one === quota));
  if (unknown.length > 0) {
    throw new AditError('VALIDATION', `There is no quota ${unknown.join(', ')}; there are ${known.join(', ')}.`);
  }
  const params = { workspaceId: id };
  const { storage_bytes: bytes, ...own } = changes;
  // Of all bytes together null means what the installation allows.
  const body = { quotas: own, ...(bytes !== undefined && { storage_bytes: bytes ?? 0 }) };
  const { storage_bytes: all, quotas } =
    Object.keys(changes).length === 0
      ? await clientOf(server).request('GET /v1/workspaces/{workspaceId}/', { params })
      : await clientOf(server).request('PATCH /v1/workspaces/{workspaceId}/', { params, body });
  const found = { ...(all !== null && all > 0 && { storage_bytes: all }), ...quotas };
  if (json) return print(found);
  const rows = Object.entries(found).map(([quota, limit]) => [quota, String(limit)]);
  process.stdout.write(
    rows.length === 0 ? 'No quotas.\n' : `${textTable(['Quota', 'At most'], rows, ['left', 'right'])}\n`,
  );
}

export async function deleteWorkspace(id: string, { server, json }: WorkspaceOptions): Promise<void> {
  const receipt = await clientOf(server).request('DELETE /v1/workspaces/{workspaceId}/', {
    params: { workspaceId: id },
  });
  if (json) return print(receipt);
  const counts = Object.entries(receipt.counts).map(([kind, count]) => [kind, String(count)]);
  process.stdout.write(`${printable(receipt.name)} was erased at ${receipt.time}.\n`);
  process.stdout.write(`${textTable(['What', 'Count'], counts, ['left', 'right'])}\n`);
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

function clientOf(url: string): AditClient {
  const apiKey = process.env['ADIT_API_KEY'];
  if (apiKey === undefined) throw new AditError('VALIDATION', 'Set ADIT_API_KEY to the key of the engine’s owner.');
  return new AditClient({ url, apiKey });
}
