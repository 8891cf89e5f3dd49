// Results of dlib's face_recognition, for comparison: its Python is made by pip in the cache, or named by ADIT_EVAL_PYTHON.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { distance } from './score.mjs';
import { pythonWith } from '../peers/python.mjs';

const run = promisify(execFile);
/** dlib's own package has to be compiled; this is the same, built. */
const PACKAGES = ['dlib-bin==20.0.1.post1', 'face_recognition_models==0.3.0', 'setuptools<80', 'numpy', 'pillow'];
const NO_DEPENDENCIES = ['face_recognition==1.3.0', 'click'];
const TIMEOUT_MS = 1_200_000;
/** face_recognition's default: farther apart, two faces are of two people. */
export const DLIB_MAX_DISTANCE = 0.6;

/** Map of path to [{box: [x, y, w, h] as fractions, embedding}]; throws PeerError where there is no peer. */
export async function dlibFaces(paths, scratch) {
  const python = await pythonWith('face_recognition', {
    name: 'eval-peer-face-recognition-1.3.0',
    installs: [PACKAGES, ['--no-deps', ...NO_DEPENDENCIES]],
  });
  const [asked, found] = [join(scratch, 'peer-paths.json'), join(scratch, 'peer-faces.json')];
  await writeFile(asked, JSON.stringify(paths));
  await run(python, [join(import.meta.dirname, 'face-peer.py'), asked, found], { timeout: TIMEOUT_MS });
  return new Map(Object.entries(JSON.parse(await readFile(found, 'utf8'))));
}

/** The person of a face: the nearest of `known`, [{person, face}] whose face may be missing; null for nobody. */
export function dlibNamer(known) {
  const gallery = known.filter(({ face }) => face?.embedding);
  return (face) => {
    if (!face?.embedding) return null;
    const [near] = gallery
      .map(({ person, face: { embedding } }) => ({ person, far: distance(embedding, face.embedding) }))
      .sort((a, b) => a.far - b.far);
    return near.far <= DLIB_MAX_DISTANCE ? near.person : null;
  };
}
