import { openAsBlob } from 'node:fs';
import type { Picture, SearchResult } from '@adit/client';
import { AditError, type SearchQuestion, type SegmentFormat } from '@adit/contracts';
import type { EngineOptions } from '../../engine/engine-options.js';
import { onEngine, printJson } from '../../engine/engine-work.js';
import { exportFile } from '../../engine/export-file.js';
import { printable, textTable } from '../../output/text-table.js';

export interface RebuildOptions extends EngineOptions {
  json?: boolean;
}

export interface SearchOptions extends RebuildOptions {
  limit: number;
  photo?: string;
  module?: string;
  job?: string;
  tag?: string;
  language?: string;
  when?: string;
  together?: number;
  exact?: boolean;
  export?: SegmentFormat;
  out?: string;
  handles?: number;
}

/** Characters of a text that a table shows. */
const SHOWN = 70;

export function search(question: string, options: SearchOptions): Promise<void> {
  const { limit, photo, module, job, tag, language, when, together, exact } = options;
  const isAsked = question.trim() !== '';
  if (!isAsked && photo === undefined) {
    throw new AditError('VALIDATION', 'Say what to search for: adit search budget');
  }
  if (photo !== undefined && options.export !== undefined) {
    throw new AditError('VALIDATION', 'What is found by a photo cannot be exported: leave out --photo or --export.');
  }
  const asked = {
    ...(isAsked && { q: question }),
    ...(module !== undefined && { module }),
    ...(job !== undefined && { job_id: job }),
    ...(tag !== undefined && { tag }),
    ...(language !== undefined && { language }),
    ...(when !== undefined && { when }),
    ...(together !== undefined && { together }),
    ...(exact === true && { fuzzy: false }),
  };
  if (options.export !== undefined) return exportFound(asked, options.export, options);
  return onEngine(options, async ({ client }) => {
    const found: SearchResult[] = [];
    const results =
      photo === undefined
        ? client.search({ ...asked, limit: Math.min(limit, 100) })
        : client.searchByPhoto(await pictureAt(photo), asked);
    for await (const result of results) {
      found.push(result);
      if (found.length === limit) break;
    }
    if (options.json) return printJson(found);
    process.stdout.write(found.length === 0 ? 'Nothing was found.\n' : `${table(found)}\n`);
  });
}

/** A photo on this machine, or its address. */
async function pictureAt(photo: string): Promise<Picture> {
  return /^(storage|https?):\/\//i.test(photo) ? photo : openAsBlob(photo);
}

/** Writes all that is found to a file on this machine. */
function exportFound(asked: SearchQuestion, format: SegmentFormat, options: SearchOptions): Promise<void> {
  const { handles } = options;
  const config = { search: asked, format, ...(handles !== undefined && { handles }) };
  return onEngine(options, (at) => exportFile({ strategy: 'segments_export', config }, options, at));
}

export function rebuild(options: RebuildOptions): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const { jobs } = await client.request('POST /v1/search/rebuild/');
    if (options.json) return printJson({ jobs });
    process.stdout.write(
      `${jobs} ${jobs === 1 ? 'job is' : 'jobs are'} indexed again; the search goes on meanwhile.\n`,
    );
  });
}

function table(found: readonly SearchResult[]): string {
  const rows = found.map((result) => [
    printable(result.source_name),
    result.tc_start,
    result.tc_end,
    printable(result.type),
    `${result.exact ? '' : '≈ '}${shown(result)}`,
  ]);
  return textTable(['Source', 'From', 'To', 'What', 'Found'], rows);
}

/** The part of the text around the first word that was asked for. */
function shown({ matches: [match] }: SearchResult): string {
  if (match === undefined) return '';
  const { text, words } = match;
  const from = Math.max(0, (words[0]?.start ?? 0) - SHOWN / 2);
  const part = text.slice(from === 0 ? 0 : text.indexOf(' ', from) + 1);
  const shortened = [...part].length > SHOWN ? `${[...part].slice(0, SHOWN).join('')}…` : part;
  return printable(`${from === 0 ? '' : '…'}${shortened}`);
}
