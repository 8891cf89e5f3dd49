import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { writeReport } from '../write-report.js';
import { sampleInput, sampleSegment } from '../sample-input.js';
import type { ReportSummary } from '../report-input.js';

const SUMMARIES: ReportSummary[] = [
  { sourceIndex: 0, type: 'gender_count', meta: { male: 1, female: 2 } },
  { sourceIndex: 0, type: 'age_count', meta: { '18-29': 3, '0-17': 0 } },
  { sourceIndex: 0, type: 'person_screen_time', meta: { Ben: 30, Anna: 90, '<b>Eve': 5 } },
  { sourceIndex: 0, type: 'gender_screen_time', meta: { male: 30, female: 95 } },
  { sourceIndex: 0, type: 'age_screen_time', meta: { '18-29': 125, '0-17': 0 } },
];
const neutrality = () =>
  sampleSegment({
    module: 'gender_neutrality_estimation',
    type: 'gender_neutrality',
    label: 'Female Dominant',
    meta: {},
  });

async function body(input: Parameters<typeof writeReport>[0]): Promise<string> {
  return (await text(writeReport(input))).replace(/<(style|script)[^>]*>.*?<\/\1>/gs, '');
}

describe('the summary of a report', () => {
  it('people with the longest time come first, with gender and age', async () => {
    const html = await body({ ...sampleInput([]), summaries: SUMMARIES });
    const rows = [...html.matchAll(/<th scope="row">(.*?)<\/th>.*?width="([\d.]+)".*?<td>([^<]*)<\/td><\/tr>/g)];
    expect(rows.map(([, name, width, text]) => [name, width, text])).toEqual([
      ['Anna', '100.00', '1 min 30 s'],
      ['Ben', '33.33', '30 s'],
      ['&lt;b&gt;Eve', '5.56', '5 s'],
      ['female', '100.00', '1 min 35 s · 2 people'],
      ['male', '31.58', '30 s · 1 person'],
      ['0–17', '0.00', '–'],
      ['18–29', '100.00', '2 min 5 s · 3 people'],
    ]);
    expect(html).not.toContain('Nothing was found');
    expect(html).not.toContain('class="film"');
  });

  it('everybody is listed, a crowd’s others folded away', async () => {
    const crowd = Array.from({ length: 300 }, (_, at): [string, number] => [`Person ${at}`, 300 - at]);
    const meta = Object.fromEntries(crowd);
    const html = await body({ ...sampleInput([]), summaries: [{ sourceIndex: 0, type: 'person_screen_time', meta }] });
    const [first, others] = html.split('<details>');
    expect(first?.match(/<th scope="row">/g)).toHaveLength(12);
    expect(others?.match(/<th scope="row">/g)).toHaveLength(288);
    expect(others).toContain('<summary>288 others, 11 h 33 min together</summary>');
  });

  it('labels of a whole film are shown, and are no appearance', async () => {
    const html = await body({ ...sampleInput([sampleSegment(), neutrality()]), segmentTotal: 2 });
    expect(html).toMatch(/class="sums">.*Female Dominant/s);
    expect(html.match(/<tr data-i/g)).toHaveLength(1);
    expect(html).not.toContain('It shows the first');
  });

  it('all pictures have one summary', async () => {
    const input = sampleInput([]);
    const still = { ...input.sources[0]!, mediaType: 'image' as const };
    const summaries = [0, 1].map((sourceIndex) => ({
      sourceIndex,
      type: 'gender_count',
      meta: { female: 2, male: 1 },
    }));
    const html = await body({ ...input, sources: [still, still], summaries });
    expect(html.match(/class="sums"/g)).toHaveLength(1);
    expect(html).toMatch(/female.*4 faces.*male.*2 faces/s);
  });

  it('the summary is missing without results', async () => {
    expect(await body(sampleInput([sampleSegment()]))).not.toContain('class="sums"');
  });
});
