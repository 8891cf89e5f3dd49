// Speech recognition by faster-whisper, for comparison: its Python is made here, and its weights are ours before conversion.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pullSources } from '@adit/models';
import { pythonWith } from '../peers/python.mjs';

const PACKAGE = 'faster-whisper==1.2.1';

/** The program that hears a file with the peer, to be followed by the file and its options; throws one sentence why there is none. */
export async function peerProgram() {
  const name = `eval-peer-${PACKAGE.replace('==', '-')}`;
  const python = await pythonWith('faster_whisper', { name, installs: [[PACKAGE]] });
  return [python, join(import.meta.dirname, 'speech-peer.py')];
}

/** A folder with the weights in the form that they came in. */
export async function weightsOfPeer(scratch) {
  const folder = join(scratch, 'speech-sources');
  await mkdir(folder);
  const paths = (await pullSources('whisper-base', folder)).map((path) => join(folder, path));
  const target = join(scratch, 'speech-peer');
  await mkdir(target);
  const parts = paths.filter((path) => /part\d$/.test(path));
  await writeFile(join(target, 'model.bin'), Buffer.concat(await Promise.all(parts.map((path) => readFile(path)))));
  for (const path of paths.filter((path) => path.endsWith('.json')))
    await copyFile(path, join(target, path.split('/').at(-1)));
  return target;
}
