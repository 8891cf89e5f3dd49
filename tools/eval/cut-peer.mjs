// Results of dlib's face_recognition on a film of cuts: it is shown the frames that Adit samples, and knows the same gallery.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FPS } from './cut-film.mjs';
import { dlibFaces, dlibNamer } from './face-peer.mjs';
import { largest } from './unseen.mjs';

const run = promisify(execFile);
const ffmpeg = process.env.ADIT_FFMPEG ?? 'ffmpeg';

/**
 * `gallery`: [{person, path}]. Answers a function of a film and of how many samples a second are taken, which gives
 * {said, seconds}: [{label, time, box}] of every face, label null where it is nobody's, and how long dlib looked.
 * Throws PeerError where there is no peer.
 */
export async function cutPeer(gallery, scratch) {
  // Before the films, so that neither pip nor these photos count as time that a film takes.
  const known = await dlibFaces(
    gallery.map(({ path }) => path),
    scratch,
  );
  const nameOf = dlibNamer(gallery.map(({ person, path }) => ({ person, face: largest(known.get(path)) })));
  return async (film, rate) => {
    const frames = await sampledFrames(film, rate, scratch);
    const start = performance.now();
    const faces = await dlibFaces(frames, scratch);
    const seconds = (performance.now() - start) / 1000;
    const said = frames.flatMap((path, i) =>
      faces.get(path).map((face) => ({ label: nameOf(face), time: i / rate, box: face.box })),
    );
    return { said, seconds };
  };
}

/** Paths of the first frame at or after the time of each sample, as Adit takes them. */
async function sampledFrames(film, rate, scratch) {
  const folder = await mkdtemp(join(scratch, 'cut-frames-'));
  const slot = (frame) => `floor((${frame})*${rate}/${FPS})`;
  // Frames are numbered anew, or ffmpeg would repeat them to keep the film's rate.
  const filter = `select='gt(${slot('n')},${slot('n-1')})',setpts=N/${rate}/TB`;
  const taken = ['-vf', filter, '-r', String(rate), join(folder, '%05d.png')];
  await run(ffmpeg, ['-nostdin', '-v', 'error', '-i', film, ...taken]);
  return (await readdir(folder)).sort().map((name) => join(folder, name));
}
