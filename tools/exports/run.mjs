// npm run exports: has the newest exporters write small networks, and compares what Adit answers with what their own code does.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { PeerError } from '../peers/python.mjs';
import { analyse } from './adit.mjs';
import { agreement, agrees } from './agreement.mjs';
import { ENVIRONMENTS } from './environments.mjs';
import { made, make } from './make.mjs';
import { pageOf, rowOf } from './page.mjs';
import { writePictures } from './pictures.mjs';

const PAGE = join(import.meta.dirname, '../../docs/internals/exports.md');
const BAR = { overlap: 0.98, difference: 0.01 };
const USAGE = `Usage: npm run exports -- [--environment=NAME …] [--only=PART] [--keep=FOLDER] [--made] [--write]
Makes ONNX exports with the newest exporters, in Pythons of the cache, and runs Adit's inspection, proposal and trial on each. What
Adit answers to three pictures is compared with what the exporter's own code does. Ends with 1 where they differ.
  --environment  ${ENVIRONMENTS.map(({ name }) => name).join(', ')}; all without
  --only         exports whose names hold it
  --keep         a folder for the exports, which stay there
  --made         makes none: looks at those that --keep has
  --write        renews docs/internals/exports.md, from all of them
Some gigabytes of packages are fetched the first time; it takes half an hour of two cores.`;

const OPTIONS = {
  environment: { type: 'string', multiple: true },
  only: { type: 'string', default: '' },
  keep: { type: 'string' },
  made: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};

const options = optionsOf(process.argv.slice(2));
if (options !== null) process.exitCode = await compareAll(options);

function optionsOf(args) {
  try {
    const { values } = parseArgs({ args, options: OPTIONS });
    const known = ENVIRONMENTS.map(({ name }) => name);
    const strange = values.environment?.find((name) => !known.includes(name));
    if (strange !== undefined) throw new Error(`There is no environment ${strange}: ${known.join(', ')}.`);
    if (values.made && values.keep === undefined) throw new Error('--made looks at what --keep=FOLDER has: name it.');
    if (!values.help) return values;
    console.log(USAGE);
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    process.exitCode = 2;
  }
  return null;
}

async function compareAll({ environment, only, keep, made: isMade, write }) {
  const scratch = keep === undefined ? await mkdtemp(join(tmpdir(), 'adit-exports-')) : resolve(keep);
  const [folder, pictureFolder] = [join(scratch, 'exports'), join(scratch, 'pictures')];
  try {
    for (const each of [folder, pictureFolder]) await mkdir(each, { recursive: true });
    const pictures = await writePictures(pictureFolder);
    const asked = ENVIRONMENTS.filter(({ name }) => environment?.includes(name) ?? true);
    const gone = isMade ? [] : await makeAll(asked, { folder, pictures: pictureFolder, only });
    const rows = await looksAt(await made(folder, only), pictures);
    if (write) await writeFile(PAGE, pageOf(rows));
    const unlike = rows.filter(({ verdict }) => verdict === 'unlike');
    console.log(
      `${rows.length} exports: ${rows.length - unlike.length} right or refused by name, ${unlike.length} differ.`,
    );
    for (const { name, failed } of gone) console.log(`Not made: ${name}: ${failed}`);
    return unlike.length > 0 || gone.length > 0 ? 1 : 0;
  } finally {
    if (keep === undefined) await rm(scratch, { recursive: true, force: true });
  }
}

/** Exports that could not be made, with the reason. */
async function makeAll(environments, { folder, pictures, only }) {
  const gone = [];
  for (const environment of environments) {
    console.error(`${environment.name}: fetching its packages where they are missing, and exporting …`);
    const onReport = ({ name, failed, seconds }) => {
      if (failed !== null) gone.push({ name, failed });
      console.error(`  ${name}: ${failed ?? `made in ${seconds} s`}`);
    };
    try {
      await make(environment, { folder, pictures, only, onReport });
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      gone.push({ name: environment.name, failed: error.message });
    }
  }
  return gone;
}

async function looksAt(all, pictures) {
  const sizes = await Promise.all(pictures.map((path) => sharp(path).metadata()));
  const rows = [];
  for (const [at, each] of all.entries()) {
    const seen = await analyse(each.folder, each.answers, pictures);
    const agreed = seen.refused === null ? agreement(each.expected, seen.found, sizes) : null;
    const isRight = agreed !== null && agrees(agreed, { ...BAR, ...each.bar });
    const row = rowOf(each, seen, agreed, seen.refused !== null ? 'refused' : isRight ? 'agrees' : 'unlike');
    rows.push(row);
    const { name, taken, pixels, asked, verdict } = row;
    const said = row.refused ?? row.agreement;
    const open = asked === '' ? '' : `; asked for ${asked}`;
    console.log(`${at + 1}/${all.length} ${name}: ${verdict}: ${said}\n    ${taken}; ${pixels}${open}`);
  }
  return rows;
}
