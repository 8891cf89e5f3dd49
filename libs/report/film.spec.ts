/** @needs ffmpeg */
import { fileNameOf } from '@adit/contracts';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { accessibilityFaults, BrowserPage, chromium, numberedFilm, sampleMedia, transcode } from '@adit/testing';
import type { ReportInput } from './report-input.js';
import { sampleInput, sampleSegment } from './sample-input.js';
import { writeReport } from './write-report.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';
const RATE = 25;

let folder: string;
let page: BrowserPage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-film-'));
});
afterEach(() => page?.close());
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A film whose pictures show their numbers. */
const numbered = (): Promise<string> =>
  transcode('numbered.webm', [
    ...['-f', 'lavfi', '-i', numberedFilm({ seconds: 8 }), '-c:v', 'libvpx', '-b:v', '1M', '-g', '50'],
  ]);

const box = (frame_index: number, x: number) => ({
  frame_index,
  type: 'face_bbox',
  data: { x, y: 0.25, w: 0.2, h: 0.5 },
});
const shown = (label: string, from: number, to: number, x: number) =>
  sampleSegment({
    label,
    ...{ frameStart: from, frameEnd: to, timeStart: from / RATE, timeEnd: to / RATE },
    detections: [box(from, x), box(to, x + 0.2)],
  });

function filmOf(source: string, segments = [shown('Anna', 25, 60, 0.1), shown('Ben', 101, 141, 0.4)]): ReportInput {
  const input = sampleInput(segments, { sources: [source] });
  input.sources = [
    { source, name: fileNameOf(source), mediaType: 'video', fps: RATE, resolution: [192, 96], duration: 8 },
  ];
  return input;
}

async function open(input: ReportInput, options = {}): Promise<void> {
  const path = join(folder, 'report.html');
  await writeFile(path, writeReport(input));
  page = await BrowserPage.open(program as string, pathToFileURL(path).href, options);
}

const plays = (index = 0) =>
  page.until(
    `[...document.querySelectorAll('.film')][${index}].querySelector('.player:not([hidden])') !== null`,
    20_000,
  );
const stands = () =>
  page.until("!document.querySelector('video').seeking && document.querySelector('video').readyState > 1");
const marks = () =>
  page.evaluate<string[]>(
    "[...document.querySelectorAll('.marks .box')].map((box) => box.textContent + ' ' + parseFloat(box.style.left).toFixed(1))",
  );
/** Chooses a file as a person does, for the film of a section. */
async function choose(path: string, name: string): Promise<void> {
  const bytes = (await readFile(path)).toString('base64');
  await page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob('${bytes}'), (character) => character.charCodeAt(0));
    const files = new DataTransfer();
    files.items.add(new File([bytes], '${name}'));
    const input = document.querySelector('.pick input');
    input.files = files.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
}
async function startByKey(): Promise<void> {
  await page.evaluate("document.querySelector('.media video, .media audio').focus()");
  await page.press(' ');
  await page.until("!document.querySelector('.media video, .media audio').paused");
}
/** The number that the video's picture shows: twelve blocks side by side, white for one. */
const pictureNumber = () =>
  page.evaluate<number>(`(() => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [192, 96];
    const context = canvas.getContext('2d');
    context.drawImage(document.querySelector('video'), 0, 0, 192, 96);
    return Array.from({ length: 12 }, (_, bit) => (context.getImageData(16 * bit + 8, 48, 1, 1).data[0] > 128 ? 2 ** bit : 0))
      .reduce((sum, bit) => sum + bit, 0);
  })()`);

(program === null ? describe.skip : describe)(`the film of a report, in Chromium${title}`, () => {
  it('a film plays where it lies beside the page; boxes and names follow, a click jumps', async () => {
    await copyFile(await numbered(), join(folder, 'the film #1.webm'));
    await open(filmOf('/somewhere/else/the film #1.webm'));
    await page.evaluate("document.querySelector('.media').scrollIntoView()");
    await plays();
    // By keys: the bar that is focused is where the film goes.
    await page.evaluate(`document.querySelector('.seg[data-segment="1"]').focus()`);
    await stands();
    expect(await page.evaluate(`Math.floor(document.querySelector('video').currentTime * ${RATE} + 1e-6)`)).toBe(101);
    expect((await marks()).map((mark) => mark.replace(/\.\d$/, ''))).toEqual(['Ben 40']);
    expect(await page.evaluate("document.querySelector('.now').textContent")).toBe('Ben');
    expect(await page.evaluate("document.querySelector('.lane.on .lane-name span').firstChild.textContent")).toBe(
      'Ben',
    );
    // By a click in the middle of the bar.
    await page.evaluate(`(() => {
      const { left, width, top } = document.querySelector('.seg[data-segment="0"]').getBoundingClientRect();
      document.querySelector('.seg[data-segment="0"]').dispatchEvent(
        new MouseEvent('click', { bubbles: true, detail: 1, clientX: left + width / 2, clientY: top + 5 }));
    })()`);
    await stands();
    await page.until("document.querySelector('.marks .box')?.textContent === 'Anna'");
    expect(Number((await marks())[0]?.split(' ')[1])).toBeCloseTo(20, 0);
    // Test while it plays.
    await startByKey();
    await page.until("document.querySelectorAll('.marks .box').length === 0");
    await page.until("document.querySelector('.marks .box')?.textContent === 'Ben'");
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('a film is chosen from the disk where it is missing, and shows the very frame', async () => {
    await open(filmOf('storage://x6BfU3o0gkq2mZr9TtYw'), { dark: true });
    await page.until("document.querySelector('.note').textContent.includes('not found beside')");
    expect(await page.evaluate("document.querySelector('.player').hidden")).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
    await choose(await numbered(), 'mine.webm');
    await plays();
    for (const index of [1, 0]) {
      await page.evaluate(`document.querySelector('.seg[data-segment="${index}"]').focus()`);
      await page.until(`document.querySelector('.marks .box')?.textContent === '${['Anna', 'Ben'][index]}'`);
      await stands();
      expect(await pictureNumber()).toBe([25, 101][index]);
    }
    expect(await page.evaluate("document.querySelector('.note').textContent")).toBe('');
    await choose(sampleMedia().groups['sample1']!, 'no-film.mp4');
    await page.until("document.querySelector('.note').textContent.includes('cannot play')");
  });

  it('says so when the file is another one', async () => {
    const input = filmOf('storage://x6BfU3o0gkq2mZr9TtYw');
    input.sources = [{ ...input.sources[0]!, duration: 60 }];
    await open(input);
    await choose(await numbered(), 'other.webm');
    await plays();
    expect(await page.evaluate("document.querySelector('.note').textContent")).toContain('lasts 8 s');
  });

  it('lights up the words of a recording under the voice, and a click on one jumps', async () => {
    await copyFile(sampleMedia().kennedy, join(folder, 'address.wav'));
    const text = 'And so, my fellow Americans, ask not';
    const said = [0.3, 0.6, 1, 1.3, 1.8, 3.3, 3.8].map((time_start, at) => ({
      text: text.split(' ')[at],
      ...{ time_start, time_end: time_start + 0.3, confidence: 1 },
    }));
    const speech = (meta: object, timeStart: number, timeEnd: number) =>
      sampleSegment({
        ...{ type: 'speech', label: 'speech', timeStart, timeEnd, frameStart: null, frameEnd: null, detections: [] },
        meta: { language: 'en', speaker: null, confidence: 0.9, ...meta },
      });
    const input = filmOf('/tmp/address.wav', [
      speech({ text, words: said, speaker: 'Speaker 1' }, 0.3, 4.1),
      speech({ text: 'what your country can do for you', speaker: 'Speaker 1' }, 5, 8),
      speech({ text: 'ask what you can do', speaker: 'Speaker 2' }, 8, 9),
      speech({ text: 'for your country' }, 9, 11),
    ]);
    input.sources = [
      {
        source: '/tmp/address.wav',
        name: 'address.wav',
        mediaType: 'audio',
        fps: null,
        resolution: null,
        duration: 11,
      },
    ];
    await open(input);
    await page.evaluate("document.querySelector('.media').scrollIntoView()");
    await plays();
    expect(await page.evaluate("document.querySelector('.media audio') !== null")).toBe(true);
    await page.until("document.querySelectorAll('.lines li:first-child span').length === 7");
    expect(await page.evaluate("document.querySelector('.lines li p').textContent")).toBe(text);
    // Who speaks, where that is somebody else than before.
    const speakers =
      "[...document.querySelectorAll('.lines li')].map((li) => li.querySelector('strong')?.textContent ?? '')";
    expect(await page.evaluate(speakers)).toEqual(['Speaker 1', '', 'Speaker 2', '']);
    await page.evaluate("document.querySelectorAll('.lines span')[4].click()");
    await page.until("document.querySelector('.lit')?.textContent === 'Americans,'");
    await page.until("Math.abs(document.querySelector('audio').currentTime - 1.8) < 0.05");
    await startByKey();
    await page.until("document.querySelector('.lit')?.textContent === 'ask'");
    // Without words the paragraph is what one has.
    await page.evaluate("document.querySelectorAll('.lines button')[1].click()");
    await page.until("document.querySelector('.lines [aria-current] p').textContent.startsWith('what your')");
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
