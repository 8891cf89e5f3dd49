// The archive that the search is measured on: what is said, written and seen in media of the other parts, as their labels say it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Step } from '../setup/step.mjs';
import { unpackFromDebian } from '../setup/unpacked-debian.mjs';
import { schedule } from './evening-news-film.mjs';
import { GERMAN_TEXT } from './german-reading.mjs';
import { KENNEDY, sentencesOf } from './speech.mjs';

const ADVICE = 'The texts of Asterisk’s prompts come from Debian: run it there, or leave the part search out.';
const LANGUAGES = { German: 'de', French: 'fr', Spanish: 'es', Portuguese: 'pt', Swedish: 'sv', Turkish: 'tr' };
/** Seconds that a sentence and a caption last here. */
const [SENTENCE, CAPTION] = [6, 1.5];

/** Jobs by name, each with documents {key, at, lasts, module, texts, place?}; `key` names one in search-questions.json. */
export async function archive(scratch) {
  const labels = async (name) => JSON.parse(await readFile(join(import.meta.dirname, `${name}.json`), 'utf8'));
  const jobs = {
    address: spoken('address', 'en', [KENNEDY]),
    wind: spoken('wind', 'de', GERMAN_TEXT.replace(/\n/g, ' ').split(/(?<=\.) /)),
    evening: evening(),
  };
  for (const [language, people] of Object.entries((await labels('caption-labels')).captions)) {
    jobs[`captions ${language}`] = people.map(([name, role], i) =>
      caption(`${language} ${i}`, { name, role, at: i * CAPTION, lasts: CAPTION, language: LANGUAGES[language] }),
    );
  }
  for (const { file, unsure: _, ...kinds } of (await labels('object-labels')).photos) {
    const name = nameOf(file);
    const seen = Object.keys(kinds);
    jobs[`photo ${name}`] = seen.map((kind) => ({
      ...photo(`photo ${name} ${kind}`),
      texts: [text('what', kind, 'en')],
    }));
  }
  for (const [person, file] of Object.entries((await labels('labels')).different.people)) {
    jobs[`portrait ${nameOf(file)}`] = [{ ...photo(`portrait ${person}`), texts: [text('who', person)] }];
  }
  for (const language of ['en', 'fr', 'es']) jobs[`prompts ${language}`] = await prompts(scratch, language);
  return jobs;
}

const text = (field, words, language = null) => ({ field, text: words, language });
const nameOf = (file) =>
  file
    .split('/')
    .slice(-1)[0]
    .replace(/\.\w+$/, '');
const photo = (key) => ({ key, at: 0, lasts: 0, module: 'object_scene_recognition' });

function spoken(name, language, sentences) {
  return sentences.map((sentence, i) => ({
    ...{ key: `${name} ${i}`, at: i * SENTENCE, lasts: SENTENCE, module: 'speech_recognition' },
    texts: [text('said', sentence, language)],
  }));
}

function caption(key, { name, role, at, lasts, language = null }) {
  const texts = [text('written', `${name} ${role}`, language), text('who', name)];
  return { key, at, lasts, module: 'lower_third_recognition', texts };
}

/** Captions, sights and the man who speaks, in the order of the film. */
function evening() {
  return schedule().flatMap(({ start, seconds, film, sight, captions = [] }, shot) => [
    ...captions.map(({ at, name, role }, i) =>
      caption(`evening ${shot} caption ${i}`, { name, role, at: start + at, lasts: 5 }),
    ),
    ...(sight ? [{ ...seen(`evening ${shot} sight`, start, seconds), texts: [text('where', sight)] }] : []),
    ...(film?.endsWith('franck.mp4')
      ? [{ ...seen(`evening ${shot} face`, start, seconds), texts: [text('who', 'Franck')] }]
      : []),
  ]);
}

const seen = (key, at, lasts) => ({ key, at, lasts, module: 'face_recognition' });

/** What telephone exchanges say, a sentence of each prompt after the other. */
async function prompts(scratch, language) {
  const file = `core-sounds-${language}.txt.gz`;
  const name = `asterisk-core-sounds-${language}`;
  const what = { name, files: [`usr/share/doc/${name}/${file}`], into: scratch, advice: ADVICE };
  await unpackFromDebian(new Step({ live: false }), what);
  return sentencesOf(await readFile(join(scratch, file))).map(({ name: prompt, text: words }, i) => ({
    ...{ key: `${language} ${prompt}`, at: i * SENTENCE, lasts: SENTENCE, module: 'speech_recognition' },
    texts: [text('said', words, language)],
  }));
}
