import { basename } from 'node:path';
import type { SummarizedResult } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import { summaryTable } from './summary-table.js';

async function* summaries(...rows: [source: string, type: string, meta: Record<string, number>][]) {
  for (const [source, type, meta] of rows) {
    const name = basename(source);
    yield {
      ...{ id: '1', source, source_name: name, module: 'advanced_diversity_analysis', type, meta },
    } satisfies SummarizedResult;
  }
}

describe('summaryTable', () => {
  it('shows people, genders and ages with their time, nobody of whom there is none', async () => {
    const table = await summaryTable(
      summaries(
        ['/f/one.mp4', 'gender_count', { male: 1, female: 2 }],
        ['/f/one.mp4', 'age_count', { '60-120': 1, '18-29': 2, '0-17': 0 }],
        ['/f/one.mp4', 'person_screen_time', { 'Unknown #1': 3.25, Anna: 61 }],
        ['/f/one.mp4', 'gender_screen_time', { male: 3.25, female: 70 }],
        ['/f/one.mp4', 'age_screen_time', { '0-17': 0, '18-29': 12.25, '60-120': 61 }],
      ),
      false,
    );
    expect(table?.split('\n')).toEqual([
      'Of      Who         People  Screen time',
      '──────  ──────────  ──────  ───────────',
      'Person  Anna                     61.0 s',
      'Person  Unknown #1                3.3 s',
      'Gender  female           2       70.0 s',
      'Gender  male             1        3.3 s',
      'Age     18-29            2       12.3 s',
      'Age     60-120           1       61.0 s',
    ]);
  });

  it('names the sources of several, and counts where there is no time', async () => {
    const table = await summaryTable(
      summaries(['a.jpg', 'gender_count', { female: 3, male: 0 }], ['b\u0007.jpg', 'gender_count', { male: 1 }]),
      true,
      1,
    );
    expect(table?.split('\n').slice(2)).toEqual([
      'a.jpg   Gender  female       3            –',
      '… and 1 more in results.json',
    ]);
  });

  it('the table is empty without results', async () => {
    expect(await summaryTable(summaries(), false)).toBeNull();
  });
});
