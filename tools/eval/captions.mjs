// Accuracy of captions and of the names in them: rendered with real fonts over a real film, a film for each language.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pullModel } from '@adit/models';
import { openModule } from './fold.mjs';
import { editDistance, folded, isNamed } from './letters.mjs';
import { FileAnalyser } from './file-analyser.mjs';
import { mediaPath } from './media-path.mjs';

const run = promisify(execFile);
const labels = JSON.parse(await readFile(join(import.meta.dirname, 'caption-labels.json'), 'utf8'));

/**
 * Character errors of all lines, exact and with accents folded, and the names found: with the readers that come with Adit,
 * and with the one that is pulled, where it can be had.
 */
export async function captions(builtIn, scratch, row) {
  await captionRows([builtIn], scratch, row, { who: 'captions' });
  const models = join(scratch, 'caption-models');
  const cacheDir = process.env.ADIT_CACHE_DIR ?? join(homedir(), '.cache/adit');
  try {
    await pullModel({ name: READER, modelsDir: models, cacheDir });
  } catch (error) {
    if (error.code !== 'UNAVAILABLE') throw error;
    row(`captions, ${READER}`, `not measured: ${error.message.split('\n', 1)[0]}`);
    return;
  }
  await captionRows([builtIn, models], scratch, row, { who: `captions, ${READER}`, reader: READER });
}

async function captionRows(models, scratch, row, { who, ...args }) {
  const analyser = await FileAnalyser.open(models);
  try {
    await rowsOf(await analyser.of('text'), scratch, row, { who, args });
  } finally {
    await analyser.close();
  }
}

async function rowsOf(reader, scratch, row, { who, args }) {
  /** Every name the module finds, whether or not a face goes with it. */
  const namesOf = await openModule('lower_third_recognition', 'text', { only_faces: false });
  const all = { letters: 0, exact: 0, folded: 0, lines: 0, right: 0, names: 0, found: 0, extra: 0 };
  for (const [language, people] of Object.entries(labels.captions)) {
    const units = await reader.units(await rendered(language, people, scratch), args);
    const sum = Object.fromEntries(Object.keys(all).map((key) => [key, 0]));
    const tracks = units.flatMap(({ observations }) => observations.tracks);
    for (const [i, lines] of people.entries()) {
      const shown = tracks.filter(({ sightings }) => sightings.some(({ time }) => slotOf(time) === i));
      for (const line of lines) {
        const read = closest(
          shown.map(({ text }) => text),
          line,
        );
        sum.letters += line.length;
        sum.exact += editDistance(line, read);
        sum.folded += editDistance(folded(line), folded(read));
        sum.lines += 1;
        if (read === line) sum.right += 1;
        else row(`  ${language}: ${line}`, read || 'not found');
      }
    }
    const named = namesOf(units);
    for (const [i, [name]] of people.entries()) {
      sum.names += 1;
      const hit = named.some(({ label, timeStart }) => slotOf(timeStart) === i && isNamed(label, name));
      if (hit) sum.found += 1;
      else row(`  ${language}: the name ${name}`, 'not found');
    }
    for (const { label } of named) {
      if (people.some(([name]) => isNamed(label, name))) continue;
      sum.extra += 1;
      row(`  ${language}: no name, but found as one`, label);
    }
    row(`${who} in ${language}: errors exact, folded; names`, shares(sum));
    for (const key of Object.keys(all)) all[key] += sum[key];
  }
  const [exact, plain, found] = [all.exact / all.letters, all.folded / all.letters, all.found / all.names];
  const [mostExact, mostFolded] = args.reader ? [0.01, 0.005] : [0.06, 0.03];
  row(`${who}, character errors, exact`, percent(exact), `at most ${100 * mostExact} %`, exact <= mostExact);
  row(`${who}, character errors, accents folded`, percent(plain), `at most ${100 * mostFolded} %`, plain <= mostFolded);
  row(`${who}, lines read to the letter`, `${all.right} of ${all.lines}`);
  row(`${who}, names found`, `${all.found} of ${all.names}`, 'at least 95 %', found >= 0.95);
  row(`${who}, lines taken for names`, String(all.extra), '0', all.extra === 0);
}

const READER = 'pp-ocrv6';
const slotOf = (time) => Math.floor(time / labels.seconds + 1e-6);
const percent = (share) => `${(100 * share).toFixed(2)} %`;
const shares = (sum) =>
  `${percent(sum.exact / sum.letters)}, ${percent(sum.folded / sum.letters)}; ${sum.found} of ${sum.names}`;

/** Two lines a person, one after the other, each in the style whose turn it is, over a stretch of the film. */
async function rendered(language, people, scratch) {
  const filters = ['scale=1280:720', 'setsar=1'];
  for (const [i, [name, role]] of people.entries()) {
    const { font, size, colour, bar } = labels.styles[i % labels.styles.length];
    const when = `enable='between(t,${i * labels.seconds},${(i + 1) * labels.seconds - 0.001})'`;
    if (bar) filters.push(`drawbox=x=40:y=530:w=1000:h=130:color=${bar}:t=fill:${when}`);
    const edge = bar ? '' : ':borderw=2:bordercolor=black';
    for (const [j, text] of [name, role].entries()) {
      const file = join(scratch, `${language}-${i}-${j}.txt`);
      await writeFile(file, text);
      const [fontSize, y] = j === 0 ? [size, 545] : [Math.round(size * 0.7), 607];
      filters.push(
        `drawtext=fontfile='${mediaPath(font)}':textfile='${file}':x=64:y=${y}:fontsize=${fontSize}:fontcolor=${colour}${edge}:${when}`,
      );
    }
  }
  const target = join(scratch, `captions-${language}.mp4`);
  const start = 10 + 12 * Object.keys(labels.captions).indexOf(language);
  await run('ffmpeg', [
    ...['-v', 'error', '-ss', String(start), '-t', String(people.length * labels.seconds)],
    ...['-i', mediaPath(labels.film), '-vf', filters.join(','), '-c:v', 'libx264', '-crf', '25', '-an', '-y', target],
  ]);
  return target;
}

function closest(texts, wanted) {
  return texts.reduce((best, text) => (editDistance(wanted, text) < editDistance(wanted, best) ? text : best), '');
}
