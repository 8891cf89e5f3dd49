import type { AudioStream } from '@adit/contracts';
import { mixed } from '../audio/sound-track.js';
import { admitAtOnce, chunkMemory } from '../decode-memory.js';
import { ffmpegInfo } from '../ffmpeg/ffmpeg-binary.js';
import { runFfmpeg } from '../ffmpeg/ffmpeg-run.js';
import { containersOf, DEFAULT_MEMORY_BYTES } from '../sandbox/ffmpeg-guard.js';
import { AAC, CLIP_OUTPUT, CLIP_TIMEOUT_SECONDS, MAX_CLIP_BYTES } from './clip-request.js';
import { keptTracks, seekOptions, writeFromBest, type FilmClip } from './film-clip.js';

/** Encoder and decoder keep about as many pictures each. */
const SIDES = 2;

/** Decodes a clip from its first frame to its last, and encodes it as H.264 with AAC. */
export async function encodeFilm(clip: FilmClip): Promise<void> {
  const { path, facts, index, first, signal, admit = admitAtOnce, maxBytes = MAX_CLIP_BYTES } = clip;
  const { filters, fpsModeOption } = await ffmpegInfo();
  const deinterlacer = facts.interlaced ? (['bwdif', 'yadif'] as const).find((name) => filters.has(name)) : undefined;
  const tracks = keptTracks(facts);
  const filterGraph = [
    `[0:${facts.stream}]${pictures(clip, deinterlacer)}[v]`,
    ...tracks.map((track, i) => `[0:${track.stream}]${sound(clip, track)}[a${i}]`),
  ].join(';');
  const { num, den } = index.timeBase;
  const options = [
    ...['-map', '[v]', ...tracks.flatMap((_, i) => ['-map', `[a${i}]`])],
    ...[fpsModeOption, 'passthrough', '-enc_time_base', `${num}:${den}`],
    // Quick, and of a quality that hides nothing.
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18'],
    ...(tracks.length > 0 ? ['-c:a', ...AAC] : []),
    ...CLIP_OUTPUT,
  ];
  await admit(SIDES * chunkMemory(facts), () =>
    writeFromBest(clip, first, (start, target) =>
      runFfmpeg({
        path,
        containers: containersOf(facts),
        probeStep: index.hints.look,
        inputOptions: seekOptions(start),
        filterGraph,
        outputs: [{ target, options }],
        signal,
        timeoutSeconds: CLIP_TIMEOUT_SECONDS,
        memoryBytes: DEFAULT_MEMORY_BYTES,
        fileBytes: maxBytes,
        pastFileBytes: 'TOO_LARGE',
      }),
    ),
  );
}

/** Filters that leave the pictures of the clip, the first one at 0, in the film's own ticks. */
function pictures({ facts, index, first, last }: FilmClip, deinterlacer: string | undefined): string {
  const { num, den } = index.timeBase;
  const zero = index.ptsOf(first);
  const clock = [`settb=${num}/${den}`];
  if (index.hints.timing === 'counted') {
    // Their own times mean nothing.
    const step = (index.ptsOf(index.totalFrames) - index.startPts) / index.totalFrames;
    clock.unshift(`trim=start_frame=${first}:end_frame=${last + 1}`);
    clock.push(`setpts=round(N*${step})`);
  } else {
    // Half-way to the neighbours, so that a decoder's rounding loses none.
    const middle = (frame: number): number => Math.floor((index.ptsOf(frame) + index.ptsOf(frame + 1)) / 2) + 1;
    const from = first === 0 ? '' : `start_pts=${middle(first - 1)}:`;
    clock.push(`trim=${from}end_pts=${middle(last)}`, `setpts=PTS-(${zero})`);
  }
  return [
    ...(deinterlacer === undefined ? [] : [`${deinterlacer}=mode=0:deint=${index.hints.framesFlagged ? 1 : 0}`]),
    ...clock,
    // Colours take half the pixels on either side.
    'scale=w=ceil(iw/2)*2:h=ceil(ih/2)*2:flags=bicubic',
    // What is of a high dynamic range stays so.
    `format=${facts.hdr ? 'yuv420p10le' : 'yuv420p'}`,
  ].join(',');
}

/** Filters that leave a track's sound of the clip, from the time of its first picture on. */
function sound({ start, end }: FilmClip, { stream: index, channels }: AudioStream): string {
  const times = `atrim=start=${start.toFixed(6)}:end=${end.toFixed(6)},asetpts=PTS-(${start.toFixed(6)})/TB`;
  return `${mixed({ index, channels }, 'usual', 2)}${times},aresample=async=1`;
}
