// All picture modules on one film of ten minutes, as `adit` mines it: models built from photos, one job, a report.
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { photoOf } from '@adit/testing';
import { eveningNews, labels, schedule } from './evening-news-film.mjs';
import { isNamed } from './letters.mjs';
import { mediaPath } from './media-path.mjs';
import { coverage } from './score.mjs';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../..');
const adit = join(repository, 'apps/cli/dist/main.js');
const MODULES = [
  ...['face_recognition', 'object_scene_recognition', 'lower_third_recognition', 'landmark_recognition'],
  ...['gender_neutrality_estimation', 'advanced_diversity_analysis'],
];
/** Photos of a sight: straight on, and a step to either side. */
const SHOWN = [{}, { yaw: -12, view: 70 }, { yaw: 12, view: 90 }];

/** Adds the film's lines to the table; its report lies in adit-results/evening-news afterwards. */
export async function eveningNewsRows(scratch, row) {
  // Under its own name, which is the report's title.
  const film = join(scratch, 'evening-news.mp4');
  await cp(await eveningNews(), film);
  const dataDir = join(scratch, 'evening-news');
  await command('gallery', 'build', await people(scratch), '--name', 'newsroom', '--default', '--data-dir', dataDir);
  const { folder, csv } = await sights(scratch);
  await command('landmark', 'build', folder, '--csv', csv, '--name', 'sights', '--default', '--data-dir', dataDir);
  const out = join(process.env.INIT_CWD ?? process.cwd(), 'adit-results/evening-news');
  const before = performance.now();
  await command('mine', film, '--modules', MODULES.join(), '--data-dir', dataDir, '--out', out);
  row(
    `evening-news.mp4, ${times(1).length} s, all picture modules`,
    `${((performance.now() - before) / 1000).toFixed(0)} s`,
  );

  const { detailed_results: found } = JSON.parse(await readFile(join(out, 'results.json'), 'utf8'));
  const of = (module) => found.filter((segment) => segment.module === module);
  captions(of('lower_third_recognition'), row);
  landmarks(of('landmark_recognition'), row);
  const spoken = schedule().filter(({ film: file }) => file?.endsWith('franck.mp4'));
  const franck = of('face_recognition').filter(({ meta }) => meta.person === 'Franck');
  const { present, hits, wrong } = coverage(times(2), spans(spoken), spansOf(franck));
  row('  samples that show Franck and say so', `${hits} of ${present}`, 'at least 95 %', hits >= 0.95 * present);
  row('  samples that wrongly say Franck', `${wrong} of ${times(2).length - present}`, 'at most 1 %', wrong <= 12);
}

/** Names over people are to be given, once each; names over places, where no face is, are not. */
function captions(given, row) {
  const all = schedule().flatMap(({ captions = [], start, place, sight }) =>
    captions.map(({ at, name }) => ({ name, from: start + at, person: !place && !sight })),
  );
  const shownAt = ({ from }) => given.find(({ time_start: time }) => Math.abs(time - from) <= 1.5);
  const expected = all.filter(({ person }) => person);
  let named = 0;
  let exact = 0;
  for (const caption of expected) {
    const label = shownAt(caption)?.meta.label;
    if (label !== undefined && isNamed(label, caption.name)) named += 1;
    if (label === caption.name) exact += 1;
    else row(`    ${caption.from} s: ${caption.name}`, label ?? 'not given');
  }
  row(
    '  captions over a face: named',
    `${named} of ${expected.length}`,
    'at least 95 %',
    named >= 0.95 * expected.length,
  );
  row('  – to the letter', `${exact} of ${expected.length}`, 'at least 90 %', exact >= 0.9 * expected.length);
  const faceless = all.filter((caption) => !caption.person && shownAt(caption));
  row('  captions over no face: given', String(faceless.length), '0', faceless.length === 0);
  const others = given.filter(({ time_start: time }) => !all.some(({ from }) => Math.abs(time - from) <= 1.5));
  row('  names where there is no caption', String(others.length), '0', others.length === 0);
}

function landmarks(given, row) {
  for (const sight of Object.keys(labels.sights)) {
    const shots = schedule().filter((shot) => shot.sight === sight);
    const own = given.filter(({ meta }) => meta.landmark.name === sight);
    const { present, hits, wrong } = coverage(times(1), spans(shots), spansOf(own));
    row(`  samples that show ${sight} and say so`, `${hits} of ${present}`, 'at least 90 %', hits >= 0.9 * present);
    row(`  – and wrongly`, `${wrong} of ${times(1).length - present}`, 'at most 1 %', wrong <= 6);
  }
}

/** When a module looks, `rate` times a second. */
function times(rate) {
  const seconds = labels.shots.reduce((sum, shot) => sum + shot.seconds, 0);
  return Array.from({ length: seconds * rate }, (_, i) => i / rate);
}

/** The last look at a shot comes before its last frame. */
function spans(shots) {
  return shots.map(({ start, seconds }) => [start, start + seconds - 0.02]);
}

function spansOf(segments) {
  return segments.map(({ time_start: start, time_end: end }) => [start, end]);
}

async function people(scratch) {
  const folder = join(scratch, 'news-people');
  for (const [name, photos] of Object.entries(labels.gallery)) {
    await mkdir(join(folder, name), { recursive: true });
    for (const photo of photos) await cp(mediaPath(photo), join(folder, name, photo.split('/').at(-1)));
  }
  return folder;
}

async function sights(scratch) {
  const folder = join(scratch, 'news-sights');
  const lines = ['name,type,latitude,longitude,location'];
  for (const [name, { place, yaw, line }] of Object.entries(labels.sights)) {
    await mkdir(join(folder, name), { recursive: true });
    for (const [index, look] of SHOWN.entries()) {
      const photo = await photoOf(place, { pitch: 8, ...look, yaw: yaw + (look.yaw ?? 0) });
      await cp(photo, join(folder, name, `${index}.jpg`));
    }
    lines.push(`${name},${line}`);
  }
  const csv = join(scratch, 'news-sights.csv');
  await writeFile(csv, `${lines.join('\n')}\n`);
  return { folder, csv };
}

function command(...args) {
  return run(process.execPath, [adit, ...args], { maxBuffer: 64 << 20 });
}
