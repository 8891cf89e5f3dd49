// npm run bench: measures speed and memory of the engine, in one process and in many, and fails where a goal is missed. Prints one table.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machineFacts } from './machine.mjs';
import { again } from './rows/again.mjs';
import { api } from './rows/api.mjs';
import { faceIndex } from './rows/face-index.mjs';
import { datasets } from './rows/datasets.mjs';
import { fairness } from './rows/fairness.mjs';
import { detection, native, objects, text } from './rows/film.mjs';
import { gallery } from './rows/gallery.mjs';
import { gpu } from './rows/gpu.mjs';
import { hostileNeighbour, hostileNeighbourStack } from './rows/hostile-neighbour.mjs';
import { kafkaFilm, kafkaPhoto } from './rows/kafka.mjs';
import { longFilm } from './rows/long-film.mjs';
import { memory } from './rows/memory.mjs';
import { models } from './rows/models.mjs';
import { ownDetector } from './rows/own-detector.mjs';
import { pages } from './rows/pages.mjs';
import { pages10m } from './rows/pages-10m.mjs';
import { photoSearch } from './rows/photo-search.mjs';
import { human, rapidOcr } from './rows/peers.mjs';
import { photo } from './rows/photo.mjs';
import { ending, identities, pictures } from './rows/pictures.mjs';
import { queue } from './rows/queue.mjs';
import { scale } from './rows/scale.mjs';
import { scheduler } from './rows/scheduler.mjs';
import { retention, retention10m } from './rows/retention.mjs';
import { search, search10m } from './rows/search.mjs';
import { segmentExports } from './rows/segment-exports.mjs';
import { speech } from './rows/speech.mjs';
import { streams, streamsLong } from './rows/streams.mjs';
import { together } from './rows/together.mjs';
import { training } from './rows/training.mjs';
import { upload } from './rows/upload.mjs';
import { webhooks } from './rows/webhooks.mjs';
import { textTable, writeDocument } from './table.mjs';

const ROWS = {
  detection,
  native,
  objects,
  'own-detector': ownDetector,
  text,
  photo,
  pages,
  again,
  gallery,
  search,
  together,
  memory,
  models,
  api,
  queue,
  scheduler,
  'pages-10m': pages10m,
  'segment-exports': segmentExports,
  retention,
  fairness,
  scale,
  'kafka-photo': kafkaPhoto,
  'kafka-film': kafkaFilm,
  webhooks,
  upload,
  'long-film': longFilm,
  speech,
  streams,
  pictures,
  identities,
  'face-index': faceIndex,
  'photo-search': photoSearch,
  datasets,
  training,
  ending,
  gpu,
  'hostile-neighbour': hostileNeighbour,
  'hostile-neighbour-stack': hostileNeighbourStack,
};
/** Rows beside peers, which are fetched. */
const PEERS = { human, rapidocr: rapidOcr };
/** Rows that take half an hour. */
const LONG = { 'streams-long': streamsLong, 'search-10m': search10m, 'retention-10m': retention10m };
const ALL = { ...ROWS, ...PEERS, ...LONG };
const HELP = `npm run bench -- [options]

  --only <row>   ${Object.keys(ALL).join(', ')}; several
                 with commas, or repeated.
                 ${Object.keys(PEERS).join(' and ')} fetch who they measure beside us (npm, pip) and run only when named, as ${Object.keys(LONG).join(' and ')} do
  --quick        small films and one run, to see that it works; its numbers mean nothing
  --json         the results as JSON on standard output
  --write        puts the table into docs/reference/performance.md

Exit code: 0 when every goal is reached, 1 when one is missed, 2 for a wrong command line.`;

const options = read();
const bench = { quick: options.quick, runs: options.quick ? 1 : 5, log: (line) => console.error(line) };
bench.folder = await mkdtemp(join(tmpdir(), 'adit-bench-media-'));
const results = [];
try {
  for (const name of options.only) {
    bench.log(`— ${name}`);
    try {
      results.push(...(await ALL[name](bench)));
    } catch (error) {
      // The rows measured so far took their time; they are shown all the same.
      bench.log(error.stack);
      results.push({ name, measured: 'not measured', goal: '', ok: false, note: error.message.split('\n')[0] });
    }
  }
} finally {
  await rm(bench.folder, { recursive: true, force: true });
}
const facts = await machineFacts();
if (options.json) console.log(JSON.stringify({ facts, quick: options.quick, results }, null, 2));
else console.log(textTable(results, facts));
if (options.write) await writeDocument(results, facts);
process.exitCode = results.some(({ ok }) => ok === false) ? 1 : 0;

function read() {
  const boolean = { type: 'boolean', default: false };
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        quick: boolean,
        json: boolean,
        write: boolean,
        help: boolean,
      },
    });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    const only = values.only?.flatMap((names) => names.split(',')) ?? Object.keys(ROWS);
    const unknown = only.find((name) => !(name in ALL));
    if (unknown !== undefined) throw new Error(`There is no row "${unknown}".`);
    if (values.write && (values.quick || values.only))
      throw new Error('--write takes a whole run: no --quick, no --only.');
    return { ...values, only };
  } catch (error) {
    console.error(`${error.message}\n\n${HELP}`);
    process.exit(2);
  }
}
