import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AditApiError, type AditClient, type Canary } from '@adit/client';
import { AditError, type Box } from '@adit/contracts';
import { decodeJpeg, drawBoxes } from '@adit/media';
import type { EngineOptions } from '../../engine/engine-options.js';
import { onEngine, printJson } from '../../engine/engine-work.js';
import { printable, textTable } from '../../output/text-table.js';

export interface CanaryOptions extends EngineOptions {
  json?: boolean;
}

export interface CanaryStartOptions extends CanaryOptions {
  version: number;
  share: number;
}

export interface CanaryStatusOptions extends CanaryOptions {
  /** Folder that the pictures are written into. */
  pictures?: string;
}

const PATH = '/v1/models/{modelId}/canary/';
/** Labels that are shown; `--json` has all. */
const MAX_LABELS = 20;

export function startCanary(name: string, options: CanaryStartOptions): Promise<void> {
  const { version, share } = options;
  return withCanary(name, options, (client, params) =>
    client.request(`POST ${PATH}`, { params, body: { version, share } }),
  );
}

export function endCanary(name: string, how: 'promote' | 'drop', options: CanaryOptions): Promise<void> {
  return withCanary(name, options, (client, params) => client.request(`POST ${PATH}${how}/`, { params }));
}

/**
 * Prints the result so far. With a folder it also writes the pictures, with boxes where one of the two versions
 * detected something.
 */
export function showCanary(name: string, { pictures, ...options }: CanaryStatusOptions): Promise<void> {
  return withCanary(name, options, async (client, params) => {
    const canary = await client.request(`GET ${PATH}`, { params });
    if (pictures !== undefined) await writePictures(client, params, canary, resolve(pictures));
    return canary;
  });
}

function withCanary(
  name: string,
  options: CanaryOptions,
  ask: (client: AditClient, params: { modelId: string }) => Promise<Canary>,
): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const models = await client.request('GET /v1/models/', { query: { kind: 'network' } });
    const model = models.find((each) => each.name === name || each.id === name);
    if (model === undefined) {
      const names = models.filter(({ is_public: isPublic }) => !isPublic).map((each) => printable(each.name));
      throw new AditError(
        'VALIDATION',
        `There is no model ${printable(name)}; there are ${names.join(', ') || 'none'}.`,
      );
    }
    const canary = await ask(client, { modelId: model.id });
    if (options.json) return printJson(canary);
    process.stdout.write(`${described(model.name, canary)}\n`);
  });
}

function described(name: string, canary: Canary): string {
  const { units, pictures, latency } = canary;
  const share = `${Number((canary.share * 100).toPrecision(3))} % of what version ${canary.stable_version} looks at`;
  const lines = [
    `${printable(name)} version ${canary.version} on ${share}: ${canary.state}${canary.reason === null ? '' : `. ${printable(canary.reason)}`}`,
    `Units      ${units.compared} compared, ${units.skipped} skipped, ${units.failed} failed${units.last_error === null ? '' : `: ${printable(units.last_error)}`}`,
  ];
  if (canary.agreement === null) return lines.join('\n');
  lines.push(
    `Agreement  ${(canary.agreement * 100).toFixed(1)} % of what either saw; ${pictures.differing} of ${pictures.compared} pictures differ`,
    `Latency    ${seconds(latency.stable)} → ${seconds(latency.candidate)}`,
    '',
  );
  const version = (number: number): string => `Only ${number}`;
  const rows = canary.labels
    .slice(0, MAX_LABELS)
    .map(({ label, both, only_stable: stable, only_candidate: candidate }) => [
      label === '' ? '(words of jobs)' : printable(label),
      ...[both, stable, candidate].map(String),
    ]);
  const head = ['Label', 'Both', version(canary.stable_version), version(canary.version)];
  lines.push(textTable(head, rows, ['left', 'right', 'right', 'right']));
  return lines.join('\n');
}

function seconds(latency: Canary['latency']['stable']): string {
  return latency === null
    ? '?'
    : `${(latency.p50_seconds * 1000).toFixed(1)} ms, 95 % below ${(latency.p95_seconds * 1000).toFixed(1)} ms`;
}

async function writePictures(
  client: AditClient,
  params: { modelId: string },
  canary: Canary,
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [at, picture] of canary.differing_pictures.entries()) {
    const reply = await client
      .raw(`GET ${PATH}pictures/{pictureId}/`, { params: { ...params, pictureId: picture.id } })
      .catch((error: unknown) => {
        // It went with what was known of its media.
        if (error instanceof AditApiError && (error.status === 404 || error.status === 410)) return null;
        throw error;
      });
    if (reply === null) continue;
    const image = await decodeJpeg(Buffer.from(await reply.arrayBuffer()));
    for (const side of ['stable', 'candidate'] as const) {
      const boxes = picture[side].flatMap(({ box }): Box[] => (box === null ? [] : [box]));
      await writeFile(join(folder, `${at + 1}-${side}.jpg`), await drawBoxes(image, boxes));
    }
  }
  process.stderr.write(`Pictures: ${folder}\n`);
}
