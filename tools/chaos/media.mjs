// Media of chaos runs: photos, batches of photos, short films, speech, and a file that is no media.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sampleMedia, transcode } from '@adit/testing';

const faces = { face_recognition: { cluster_unknowns: true } };
const things = { object_scene_recognition: {} };
const captions = { lower_third_recognition: { only_faces: false } };
const speech = { speech_recognition: {} };

/**
 * Makes the kinds of jobs with their share of all jobs. All jobs of a kind are equal, so an undisturbed run knows their results.
 *
 * @param {string} folder Folder of the file that is no media.
 * @param {boolean} hasSpeech Includes speech, whose weights are not available everywhere.
 * @returns {Promise<{ kinds: { name: string, share: number, order: object, fails: boolean }[], roots: string[] }>}
 */
export async function chaosMedia(folder, hasSpeech = false) {
  const { groups, franck, cap12, kennedy } = sampleMedia();
  const film = (name, from, seconds, source) =>
    transcode(`${name}-${from}-${seconds}.mp4`, [
      ...['-ss', String(from), '-t', String(seconds), '-i', source],
      ...['-vf', 'fps=25,scale=400:300,setsar=1,format=yuv420p'],
      ...['-an', '-c:v', 'libx264', '-preset', 'veryfast', '-g', '50'],
    ]);
  const films = [await film('chaos-man', 60, 6, franck), await film('chaos-other', 4, 5, cap12)];
  // Two chunks of sound, and one beside the pictures of a film.
  const recording = await transcode('chaos-recording.flac', ['-stream_loop', '2', '-i', kennedy, '-ar', '16000']);
  const talk = await transcode('chaos-talk.mp4', [
    ...['-i', films[0], '-i', kennedy, '-map', '0:v', '-map', '1:a', '-c:v', 'copy', '-c:a', 'aac', '-b:a', '96k'],
  ]);
  mkdirSync(folder, { recursive: true });
  const broken = join(folder, 'not-a-film.mp4');
  writeFileSync(broken, 'This is no film.');
  const photo = (name) => groups[name];
  const kinds = [
    { name: 'a photo', share: 6, sources: [photo('sample2')] },
    { name: 'another photo', share: 5, sources: [photo('sample3')] },
    { name: 'three photos', share: 3, sources: ['sample1', 'sample4', 'sample5'].map(photo) },
    { name: 'things on a photo', share: 2, sources: [photo('sample1')], modules: things },
    { name: 'a film', share: 3, sources: [films[0]] },
    { name: 'all of a film', share: 1, sources: [films[1]], modules: { ...faces, ...things, ...captions } },
    { name: 'two films', share: 2, sources: films },
    ...(hasSpeech
      ? [
          { name: 'a recording', share: 2, sources: [recording], modules: speech },
          { name: 'a film with sound', share: 2, sources: [talk], modules: { ...faces, ...speech } },
        ]
      : []),
    { name: 'no media', share: 1, sources: [broken], fails: true },
  ];
  const paths = kinds.flatMap(({ sources }) => sources);
  return {
    kinds: kinds.map(({ name, share, sources, modules = faces, fails = false }) => ({
      name,
      share,
      fails,
      order: { sources, modules },
    })),
    roots: [...new Set(paths.map((path) => dirname(path)))],
  };
}
