import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import type { ReportData } from './report-data.js';
import { renderReport } from './render-report.js';
import { sampleInput, sampleSegment } from './sample-input.js';

const HOSTILE = `</script><script>alert(1)</script><img src=x onerror="alert(2)">'"&\u2028<!--`;

function embedded(html: string): ReportData {
  const json = /<script type="application\/json" id="adit-results">(.*?)<\/script>/s.exec(html)?.[1];
  return JSON.parse(json ?? 'null') as ReportData;
}

describe('renderReport', () => {
  it('lets the page run its own script and style and nothing else', async () => {
    const html = await renderReport(sampleInput([sampleSegment()]));
    const script = /<script>(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(policy).toContain(`script-src ${hash(script)}`);
    expect(policy).toContain(`style-src ${hash(style)}`);
    expect(policy).toContain("default-src 'none'");
    expect(html.replace(/<script type="application\/json".*?<\/script>/s, '')).not.toMatch(/(src|href)=|https?:\/\//);
    expect(() => new Script(script)).not.toThrow();
    expect(script).not.toMatch(/^\s*(import|export)\b/m);
  });

  it('shows what clients wrote as text, wherever they wrote it', async () => {
    const hostile = sampleSegment({ label: HOSTILE, type: HOSTILE, meta: { [HOSTILE]: HOSTILE } });
    const input = sampleInput([hostile], { tag: HOSTILE, errors: [HOSTILE], sources: [HOSTILE] });
    input.sources = [{ ...input.sources[0]!, source: HOSTILE }];
    input.job.modules[HOSTILE] = { state: 'failed', progress: 0, model: HOSTILE };
    const html = await renderReport(input);
    expect(html).not.toContain('<script>alert');
    expect(html).not.toContain('<img src=x');
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(html.match(/<\/script/g)).toHaveLength(2);
    expect(embedded(html).segments[0]?.label).toBe(HOSTILE);
  });

  it('keeps a picture once and draws the box of its own frame', async () => {
    const keyFrame = { frame: 60, jpeg: Buffer.from('a whole frame'), width: 640, height: 360 };
    const segments = ['Anna', 'Ben'].map((label) => sampleSegment({ label, keyFrame, thumbnail: Buffer.from(label) }));
    const data = embedded(await renderReport(sampleInput(segments)));
    expect(data.pictures).toHaveLength(3);
    expect(data.segments[0]?.keyFrame?.picture).toBe(data.segments[1]?.keyFrame?.picture);
    expect(data.segments[0]?.keyFrame?.boxes).toEqual([[0.5, 0.2, 0.3, 0.4]]);
  });

  it('draws every box of the frame nearest to the picture, and no other frame’s', async () => {
    const box = (frame_index: number, x: number) => ({
      frame_index,
      type: 'object_bbox',
      data: { x, y: 0.1, w: 0.2, h: 0.2, confidence: 0.8 },
    });
    const keyFrame = { frame: 60, jpeg: Buffer.from('a whole frame'), width: 640, height: 360 };
    const detections = [box(38, 0), box(62, 0.1), box(62, 0.5), box(75, 0.9)];
    const cups = sampleSegment({ type: 'object', label: 'cup', keyFrame, detections, meta: { label: 'cup' } });
    const html = await renderReport(sampleInput([cups]));
    expect(embedded(html).segments[0]?.keyFrame?.boxes.map(([x]) => x)).toEqual([0.1, 0.5]);
    expect(html).toContain('Who or what');
  });

  it('keeps thumbnails before key frames, the longest first, when the budget is short', async () => {
    const segments = [2, 9].map((timeEnd) =>
      sampleSegment({
        timeEnd,
        thumbnail: Buffer.alloc(10, timeEnd),
        keyFrame: { frame: 25, jpeg: Buffer.alloc(80, timeEnd), width: 640, height: 360 },
      }),
    );
    const html = await renderReport(sampleInput(segments), { pictureBudget: 110 });
    const data = embedded(html);
    expect(data.segments.map((segment) => [segment.thumbnail !== null, segment.keyFrame !== null])).toEqual([
      [true, false],
      [true, true],
    ]);
    expect(html).toContain('1 pictures were left out');
  });

  it('gives a label the same hue in another report and two labels different ones', async () => {
    const labels = ['Anna', 'Ben', 'Cleo', 'unknown'];
    const all = embedded(await renderReport(sampleInput(labels.map((label) => sampleSegment({ label })))));
    const alone = embedded(await renderReport(sampleInput([sampleSegment()])));
    expect(alone.hues['Anna']).toBe(all.hues['Anna']);
    expect(new Set(Object.values(all.hues)).size).toBe(3);
    expect(all.hues['unknown']).toBeUndefined();
  });

  it('knows whose faces are on the picture of something else, on a film', async () => {
    const at = (frame_index: number, x: number) => ({
      frame_index,
      type: 'face_bbox',
      data: { x, y: 0.2, w: 0.3, h: 0.4 },
    });
    const keyFrame = { frame: 60, jpeg: Buffer.from('a whole frame'), width: 640, height: 360 };
    const anna = sampleSegment({ timeStart: 0, keyFrame, detections: [at(25, 0.1), at(60, 0.2)] });
    const ben = sampleSegment({ timeStart: 1, label: 'Ben', detections: [at(60, 0.6)] });
    const late = sampleSegment({ timeStart: 2, label: 'Cleo', detections: [at(75, 0.4)] });
    const caption = { type: 'lower_third', label: 'Ben Bell', keyFrame, detections: [] };
    const input = sampleInput([anna, ben, late, sampleSegment({ timeStart: 3, ...caption })]);
    const html = await renderReport(input);
    const faces = embedded(html).segments.map((segment) => segment.keyFrame?.faces);
    const [annas, bens] = [
      [0, [0.2, 0.2, 0.3, 0.4]],
      [1, [0.6, 0.2, 0.3, 0.4]],
    ] as const;
    expect(faces).toEqual([[bens], undefined, undefined, [annas, bens]]);
    expect(html).toContain('<span>“Ben Bell”</span>');
    input.sources = [{ ...input.sources[0]!, mediaType: 'image' }];
    expect(embedded(await renderReport(input)).segments.at(-1)?.keyFrame?.faces).toEqual([]);
  });

  it('renders 1,000 segments with pictures in under two seconds of CPU time', async () => {
    const segments = Array.from({ length: 1000 }, (_, index) =>
      sampleSegment({
        label: `Person ${index % 40}`,
        timeStart: index,
        timeEnd: index + 1,
        detections: [0, 12].map((frame) => ({
          frame_index: 25 * index + frame,
          type: 'face_bbox',
          data: { x: 0.1, y: 0.2, w: 0.3, h: 0.4 },
        })),
        thumbnail: Buffer.alloc(6_000, `t${index}`),
        keyFrame: { frame: 25 * index, jpeg: Buffer.alloc(20_000, `k${index % 500}`), width: 640, height: 360 },
      }),
    );
    const before = process.cpuUsage();
    const html = await renderReport(sampleInput(segments));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(2);
    expect(html.match(/<tr data-i=/g)).toHaveLength(1000);
  });

  it('says how many appearances it does not show', async () => {
    const html = await renderReport({ ...sampleInput([sampleSegment()]), segmentTotal: 5000 });
    expect(html).toContain('first 1 appearances');
    expect(html).toContain('<dd>5,000</dd>');
  });

  it('says so when nothing was found', async () => {
    expect(await renderReport(sampleInput([]))).toContain('Nothing was found.');
  });

  it('lets others have their turns while it is made', async () => {
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    await renderReport(sampleInput(Array.from({ length: 500 }, (_, at) => sampleSegment({ timeStart: at }))));
    over = true;
    expect(turns).toBeGreaterThan(30);
  });
});
