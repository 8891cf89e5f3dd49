import { Readable } from 'node:stream';
import type { DetailedResult, Job, ResultSummary, SummarizedResult } from '@adit/contracts';

/** The form of `results.json`; `name` is what clients ask for. */
export const RESULTS_JSON = { name: 'json', mimeType: 'application/json', extension: 'json' } as const;

interface ResultsJsonInput {
  job: Job;
  summary: readonly (ResultSummary | SummarizedResult)[];
  detailedResults: AsyncIterable<DetailedResult> | Iterable<DetailedResult>;
}

/**
 * `results.json`: `{job, summary, detailed_results}`, one result a line, as a stream of UTF-8 bytes that holds one
 * result at a time. An error of the iterable destroys the stream.
 */
export function writeResultsJson(input: ResultsJsonInput): Readable {
  return Readable.from(chunks(input), { objectMode: false });
}

async function* chunks({ job, summary, detailedResults }: ResultsJsonInput): AsyncGenerator<Buffer> {
  yield Buffer.from(`{"job":${JSON.stringify(job)},\n"summary":${JSON.stringify(summary)},\n"detailed_results":[`);
  let separator = '\n';
  for await (const result of detailedResults) {
    yield Buffer.from(separator + JSON.stringify(result));
    separator = ',\n';
  }
  yield Buffer.from('\n]}\n');
}
