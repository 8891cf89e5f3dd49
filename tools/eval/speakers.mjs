// Accuracy of speakers: readers of telephone prompts in turns, each reader alone, and a conversation over the telephone.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { filesOfWheels, pullModel } from '@adit/models';
import { sampleMedia } from '@adit/testing';
import { Step } from '../setup/step.mjs';
import { unpackFromDebian } from '../setup/unpacked-debian.mjs';
import { openModule } from './fold.mjs';
import { FileAnalyser } from './file-analyser.mjs';
import { speakerShare } from './score.mjs';

const run = promisify(execFile);
const ffmpeg = process.env.ADIT_FFMPEG ?? 'ffmpeg';
const RATE = 16_000;
const ADVICE = 'The prompts of Asterisk come from Debian: run it there, or leave the part speakers out.';
/** Folders of the prompts by reader: Allison Smith and June Wallack (CC-BY-SA-3.0), Carlo Flora and Maxim Topal's reader (CC-BY-3.0). */
const READERS = {
  allison: ['en', 'en_US_f_Allison'],
  june: ['fr', 'fr_CA_f_June'],
  carlo: ['it', 'it_IT_m_Carlo'],
  russian: ['ru', 'ru_RU_f_IvrvoiceRU'],
};
const CONVERSATIONS = [
  ['allison', 'june'],
  ['allison', 'russian'],
  ['june', 'russian'],
  ['allison', 'carlo'],
  ['carlo', 'russian'],
  ['carlo', 'kennedy'],
  ['allison', 'june', 'carlo', 'russian'],
];
/** Seconds of a prompt that is a sentence or two, and prompts of a reader in one recording. */
const SENTENCE = { least: 3, most: 15 };
const PROMPTS = 8;
/** Share of the time of words that has the right speaker. */
const BAR = 0.95;
/** Thirty seconds of a conversation with its speakers, which the package ships as a sample (MIT). */
const CONVERSATION = { name: 'pyannote.audio', version: '4.0.7' };
const SAMPLE = 'pyannote/audio/sample/sample';

/** Adds the lines of speakers to the table. Where weights or recordings cannot be had, one line says so. */
export async function speakers(builtIn, scratch, row) {
  try {
    await speakerRows(builtIn, scratch, row);
  } catch (error) {
    if (error.name !== 'SetupError' && error.code !== 'UNAVAILABLE') throw error;
    row('speakers', `not measured: ${error.message.split('\n', 1)[0]}`);
  }
}

async function speakerRows(builtIn, scratch, row) {
  const models = join(scratch, 'speaker-models');
  const cacheDir = process.env.ADIT_CACHE_DIR ?? join(homedir(), '.cache/adit');
  for (const name of ['whisper-base', 'resemblyzer']) await pullModel({ name, modelsDir: models, cacheDir });
  const analyser = await FileAnalyser.open([builtIn, models]);
  try {
    const prompts = await promptsOf(scratch);
    for (const names of [...CONVERSATIONS, ...Object.keys(prompts).map((name) => [name])]) {
      const { path, turns } = await conversation(scratch, names, prompts);
      const { share, seconds, found } = speakerShare(turns, await wordsOf(analyser, path));
      const what = names.length === 1 ? `${names[0]} alone` : `${names.join(', ')} in turns`;
      const measured = `${(share * 100).toFixed(1)} % of ${Math.round(seconds)} s right, ${found} found`;
      row(what, measured, `at least ${BAR * 100} %, ${names.length}`, share >= BAR && found === names.length);
    }
    const { path, turns } = await telephone(scratch);
    const { share, seconds, found } = speakerShare(turns, await wordsOf(analyser, path));
    row('two by telephone', `${(share * 100).toFixed(1)} % of ${Math.round(seconds)} s right, ${found} found`);
  } finally {
    await analyser.close();
  }
}

/** {start, end, speaker} of every word of a recording. */
async function wordsOf(analyser, path) {
  const [speech, voices] = [await analyser.of('speech'), await analyser.of('voices')];
  const heard = await speech.units(path, { mode: 'performance' });
  const beside = await voices.units(path);
  const fold = await openModule('speech_recognition', 'speech', {});
  const segments = fold(heard.map((unit, i) => ({ ...unit, beside: { voices: beside[i].observations } })));
  return segments.flatMap(({ meta: { speaker, words } }) =>
    words.map(({ time_start: start, time_end: end }) => ({ start, end, speaker })),
  );
}

/** Samples of sentences by reader, in an order of no meaning that is always the same. */
async function promptsOf(scratch) {
  const step = new Step({ live: false });
  const prompts = {};
  for (const [name, [language, folder]] of Object.entries(READERS)) {
    const what = { name: `asterisk-core-sounds-${language}-g722`, files: [`usr/share/asterisk/sounds/${folder}`] };
    await unpackFromDebian(step, { ...what, into: scratch, advice: ADVICE });
    const files = (await readdir(join(scratch, folder))).filter((file) => file.endsWith('.g722'));
    const order = (file) => createHash('sha256').update(file).digest('hex');
    prompts[name] = [];
    for (const file of files.sort((a, b) => (order(a) < order(b) ? -1 : 1))) {
      const sound = await samplesOf(['-f', 'g722', '-i', join(scratch, folder, file)]);
      const seconds = sound.length / 4 / RATE;
      if (seconds >= SENTENCE.least && seconds <= SENTENCE.most) prompts[name].push(sound);
      if (prompts[name].length === PROMPTS) break;
    }
  }
  const address = await samplesOf(['-i', sampleMedia().kennedy]);
  const middle = Math.round(5.3 * RATE) * 4;
  prompts.kennedy = [address.subarray(0, middle), address.subarray(middle)];
  return prompts;
}

async function samplesOf(input) {
  const raw = ['-ar', String(RATE), '-ac', '1', '-f', 'f32le', '-'];
  const { stdout } = await run(ffmpeg, ['-v', 'error', ...input, ...raw], { encoding: 'buffer', maxBuffer: 2 ** 28 });
  return stdout;
}

/** One or two prompts of each in turn, 0.3 s between them: {path, turns: [{start, end, speaker}]}. */
async function conversation(scratch, names, prompts) {
  const [parts, turns] = [[], []];
  const left = Object.fromEntries(names.map((name) => [name, [...prompts[name]]]));
  let bytes = 0;
  const add = (sound) => {
    parts.push(sound);
    bytes += sound.length;
  };
  for (let turn = 0; names.some((name) => left[name].length > 0); turn += 1) {
    const speaker = names[turn % names.length];
    for (const sound of left[speaker].splice(0, 1 + (turn % 2))) {
      const start = bytes / 4 / RATE;
      add(sound);
      turns.push({ start, end: bytes / 4 / RATE, speaker });
      add(Buffer.alloc(Math.round(0.3 * RATE) * 4));
    }
  }
  const path = join(scratch, `${names.join('-')}.wav`);
  await writeFile(`${path}.f32`, Buffer.concat(parts));
  const raw = ['-f', 'f32le', '-ar', String(RATE), '-ac', '1', '-i', `${path}.f32`];
  await run(ffmpeg, ['-v', 'error', ...raw, path]);
  return { path, turns };
}

async function telephone(scratch) {
  const paths = ['wav', 'rttm'].map((ending) => `${SAMPLE}.${ending}`);
  await filesOfWheels({ packages: [CONVERSATION], paths, folder: scratch });
  const lines = (await readFile(join(scratch, `${SAMPLE}.rttm`), 'utf8')).trim().split('\n');
  const turns = lines.map((line) => {
    const [, , , start, seconds, , , speaker] = line.split(' ');
    return { start: Number(start), end: Number(start) + Number(seconds), speaker };
  });
  return { path: join(scratch, `${SAMPLE}.wav`), turns };
}
