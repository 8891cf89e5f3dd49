// Words that are read wrongly, on recorded speech of three speakers and one that is made; with --peers beside faster-whisper, which
// has the same weights.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { pullModel } from '@adit/models';
import { sampleMedia } from '@adit/testing';
import { Step } from '../setup/step.mjs';
import { unpackFromDebian } from '../setup/unpacked-debian.mjs';
import { germanReading } from './german-reading.mjs';
import { spokenWords, wordErrors } from './score.mjs';
import { peerProgram, weightsOfPeer } from './speech-peer.mjs';

const run = promisify(execFile);
const ffmpeg = process.env.ADIT_FFMPEG ?? 'ffmpeg';
const RATE = 16_000;
export const KENNEDY =
  'And so my fellow Americans ask not what your country can do for you ask what you can do for your country';
/** Letters of a prompt that is long enough to be a sentence. */
const SENTENCE = 60;
const ADVICE = 'The prompts of Asterisk come from Debian: run it there, or leave the part speech out.';
/** Folders of the prompts, by language: read by Allison Smith and June Wallack, CC-BY-SA-3.0. */
const VOICES = { en: 'en_US_f_Allison', es: 'es_MX_f_Allison', fr: 'fr_CA_f_June' };

/**
 * Adds the lines of speech to the table. `peers`: beside faster-whisper, which pip brings into the cache, or by ADIT_EVAL_PYTHON.
 * Where weights, recordings or the peer cannot be had, one line says so.
 */
export async function speech(builtIn, scratch, row, peers) {
  try {
    await speechRows(builtIn, scratch, row, peers);
  } catch (error) {
    if (error.name !== 'SetupError' && error.code !== 'UNAVAILABLE') throw error;
    row('speech', `not measured: ${error.message.split('\n', 1)[0]}`);
  }
}

async function speechRows(builtIn, scratch, row, peers) {
  const models = join(scratch, 'speech-models');
  const cacheDir = process.env.ADIT_CACHE_DIR ?? join(homedir(), '.cache/adit');
  await pullModel({ name: 'whisper-base', modelsDir: models, cacheDir });
  const peer = peers ? await openPeer(scratch, row) : null;
  const sums = {};
  for (const { name, path, language, text, synthetic = false } of await recordings(scratch, row)) {
    // Errors of a synthetic voice say little: its row is judged by the language.
    for (const mode of synthetic ? ['quality'] : MODES) {
      const ours = await transcribedBy([process.execPath, ...process.execArgv, child], path, {
        mode,
        folders: [builtIn, models],
      });
      const theirs = peer && (await transcribedBy(peer.program, path, { mode, weights: peer.weights }));
      for (const [who, heard] of [
        ['', ours],
        ['faster-whisper, ', theirs],
      ]) {
        if (!heard) continue;
        const what = `${who}${name}, ${mode}`;
        const cost = `${heard.cpuSeconds.toFixed(1)} s of CPU, ${Math.round(heard.peakBytes / 2 ** 20)} MiB`;
        if (!who && mode === 'quality') row(`${name}: language`, heard.language, language, heard.language === language);
        const errors = wordErrors(text, heard.text, language);
        const words = spokenWords(text, language).length;
        const most = Math.ceil(words * MAX_ERROR_RATE[language]);
        const isShown = who !== '' || synthetic;
        const ok = isShown ? null : errors <= (theirs ? wordErrors(text, theirs.text, language) : most);
        const bar = isShown ? '' : theirs ? 'no more than the peer' : `at most ${most}`;
        if (!synthetic) {
          const sum = (sums[mode] ??= { words: 0, ours: [0, 0], theirs: [0, 0] });
          const [wrong, cpu] = sum[who ? 'theirs' : 'ours'];
          sum[who ? 'theirs' : 'ours'] = [wrong + errors, cpu + heard.cpuSeconds];
          if (!who) sum.words += words;
        }
        row(what, `${errors} of ${words} words wrong (${((errors / words) * 100).toFixed(1)} %); ${cost}`, bar, ok);
      }
      if (theirs) {
        const apart = wordErrors(theirs.text, ours.text, language);
        row('  words apart from the peer', `${apart} of ${spokenWords(theirs.text, language).length}`);
        const share = ours.cpuSeconds / theirs.cpuSeconds;
        row('  CPU, share of the peer', share.toFixed(2), 'at most 0.9', share <= 0.9);
      }
    }
  }
  for (const [mode, { words, ours, theirs }] of Object.entries(sums)) {
    const most = Math.ceil(words * MAX_TOTAL_ERROR_RATE);
    row(`all that was read, ${mode}`, `${ours[0]} of ${words} words wrong`, `at most ${most}`, ours[0] <= most);
    if (!peer) continue;
    row('  faster-whisper', `${theirs[0]} of ${words} words wrong`, 'Adit no more', ours[0] <= theirs[0]);
    const share = ours[1] / theirs[1];
    row('  CPU, share of the peer', share.toFixed(2), 'at most 0.9', share <= 0.9);
  }
}

const MODES = ['performance', 'quality'];
/** Limits of word errors in a recording; the Spanish and French texts have more errors of their own. */
const MAX_ERROR_RATE = { en: 0.06, es: 0.18, fr: 0.15 };
/** Limit of word errors in all recordings together. */
const MAX_TOTAL_ERROR_RATE = 0.12;
const child = join(import.meta.dirname, 'speech-child.mjs');
/** Timeout of a process that transcribes one file: on a busy machine it takes as long as the file lasts. */
const TIMEOUT_MS = 600_000;

async function openPeer(scratch, row) {
  try {
    return { program: await peerProgram(), weights: await weightsOfPeer(scratch) };
  } catch (error) {
    if (error.name !== 'PeerError' && error.code !== 'UNAVAILABLE') throw error;
    row('speech, the peer', `not measured: ${error.message.split('\n', 1)[0]}`, 'beside faster-whisper', false);
    return null;
  }
}

/** {text, language, cpuSeconds, peakBytes} of a process that transcribes one file. */
async function transcribedBy([program, ...args], path, options) {
  const limits = { maxBuffer: 2 ** 26, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' };
  const { stdout } = await run(program, [...args, path, JSON.stringify(options)], limits).catch((error) => {
    if (!error.killed) throw error;
    throw new Error(`${program} did not transcribe ${path} within ${TIMEOUT_MS / 60_000} minutes.`, { cause: error });
  });
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

/** {name, path, language, text, synthetic?}. */
async function recordings(scratch, row) {
  const step = new Step({ live: false });
  const debian = (name, file) => unpackFromDebian(step, { name, files: [file], into: scratch, advice: ADVICE });
  const found = [{ name: 'an address of 1961', path: sampleMedia().kennedy, language: 'en', text: KENNEDY }];
  for (const [language, folder] of Object.entries(VOICES)) {
    const texts = `core-sounds-${language}.txt.gz`;
    await debian(`asterisk-core-sounds-${language}`, `usr/share/doc/asterisk-core-sounds-${language}/${texts}`);
    await debian(`asterisk-core-sounds-${language}-g722`, `usr/share/asterisk/sounds/${folder}`);
    const there = new Set(await readdir(join(scratch, folder)));
    const said = sentencesOf(await readFile(join(scratch, texts))).filter(({ name }) => there.has(`${name}.g722`));
    const path = join(scratch, `prompts-${language}.wav`);
    await joined(
      said.map(({ name }) => join(scratch, folder, `${name}.g722`)),
      path,
    );
    found.push({
      name: `telephone prompts (${language})`,
      path,
      language,
      text: said.map(({ text }) => text).join(' '),
    });
  }
  try {
    found.push(await germanReading(step, scratch));
  } catch (error) {
    if (error.name !== 'SetupError') throw error;
    row('a fable, synthetic (de)', `not measured: ${error.message.split('\n', 1)[0]}`);
  }
  return found;
}

/** The prompts that are long enough, and read as they are written. */
export function sentencesOf(gzipped) {
  const lines = gunzipSync(gzipped).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    const [, name, text] = /^([\w-]+): (.*)$/.exec(line) ?? [];
    // Numbers are read in many ways, and what stands in brackets is not said.
    return text?.length >= SENTENCE && !/\d\d|\.\.\.|[[\](*]|www/.test(text) ? [{ name, text }] : [];
  });
}

/** One WAV of 16 kHz in mono of several files, each after half a second of silence. */
async function joined(files, target) {
  const inputs = files.flatMap((file) => ['-f', 'g722', '-i', file]);
  const parts = files.map((_, i) => `[${i}]adelay=500[s${i}]`);
  const all = `${files.map((_, i) => `[s${i}]`).join('')}concat=n=${files.length}:v=0:a=1`;
  const filter = ['-filter_complex', [...parts, all].join(';')];
  await run(ffmpeg, ['-v', 'error', ...inputs, ...filter, '-ar', String(RATE), '-ac', '1', target]);
}
