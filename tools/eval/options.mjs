// Options of `npm run eval`.
import { parseArgs } from 'node:util';

/** In the order of the table. `apart` are those that take as long as all the others, or fetch photos of public repositories. */
export const PARTS = [
  { name: 'faces', about: 'faces, people and films of the packages' },
  { name: 'objects', about: 'objects of photos and of a film' },
  { name: 'landmarks', about: 'places seen again' },
  { name: 'people', about: 'gender, age, smiles and screen time' },
  { name: 'captions', about: 'names of lower thirds in eight languages' },
  { name: 'speech', about: 'words of speech in four languages' },
  { name: 'speakers', about: 'who speaks when' },
  { name: 'search', about: 'what the search finds in texts of the others' },
  { name: 'unseen', about: 'people of public repositories', apart: true },
  { name: 'no-faces', about: 'pictures of things and places', apart: true },
  { name: 'trainings', about: 'trainings on people of public repositories', apart: true },
  { name: 'cuts', about: 'films of hard cuts between people', apart: true },
  { name: 'evening-news', about: 'ten minutes of film, by all picture modules', apart: true },
];

const OPTIONS = {
  only: { type: 'string' },
  peers: { type: 'boolean', default: false },
  float16: { type: 'boolean', default: false },
  'held-back': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};

const list = PARTS.map(({ name, about, apart }) => `    ${name.padEnd(14)}${about}${apart ? ' *' : ''}`).join('\n');
export const USAGE = `Usage: npm run eval -- [--only=PART,…] [--peers] [--held-back] [--float16]
Measures accuracy on labelled media, prints one table, and ends with 1 where a row is below its bar. docs/reference/quality.md says what it means.
  --only       parts, in this order; all but those marked * without:
${list}
  --peers      speech beside faster-whisper; unseen people, trainings and films of cuts beside dlib. pip brings them into the cache,
               unless ADIT_EVAL_PYTHON names a Python that has them
  --held-back  the other half of the people of public repositories
  --float16    faces, objects and landmarks are looked at as in float16`;

/** { parts, peers, float16, heldBack }, or what is to be printed instead: { said, exitCode }. */
export function optionsOf(args) {
  try {
    const { values } = parseArgs({ args, options: OPTIONS });
    if (values.help) return { said: USAGE, exitCode: 0 };
    const { peers, float16, 'held-back': heldBack } = values;
    return { parts: partsOf(values.only), peers, float16, heldBack };
  } catch (error) {
    return { said: `${error.message}\n${USAGE}`, exitCode: 2 };
  }
}

function partsOf(only) {
  if (only === undefined) return PARTS.filter(({ apart }) => !apart).map(({ name }) => name);
  const asked = only.split(',');
  const known = PARTS.map(({ name }) => name);
  const strange = asked.filter((name) => !known.includes(name));
  if (strange.length > 0) throw new RangeError(`There is no part ${strange.join(', ')}.`);
  return known.filter((name) => asked.includes(name));
}
