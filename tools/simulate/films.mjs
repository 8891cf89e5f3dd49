// Films of a number of chunks, which their address says.

/** Seconds of a chunk, and frames of each second. */
const [SECONDS, RATE] = [20, 25];

export const addressOf = (chunks) => `https://media.example.org/${chunks}.mp4`;

/** Facts and chunks of the film at the address. */
export function filmOf(address) {
  const chunks = Number(/(\d+)\.mp4$/.exec(address)[1]);
  const frames = chunks * SECONDS * RATE;
  const grid = Array.from({ length: chunks }, (_, at) => {
    const [start, end] = [at * SECONDS * RATE, (at + 1) * SECONDS * RATE];
    return { frameStart: start, frameEnd: end, ptsStart: start, ptsEnd: end, seekPts: start };
  });
  return { facts: { ...FACTS, totalFrames: frames, duration: frames / RATE }, grid };
}

const FACTS = {
  kind: 'video',
  container: 'mp4',
  codec: 'h264',
  stream: 0,
  width: 1280,
  height: 720,
  fps: { num: RATE, den: 1 },
  variableFrameRate: false,
  timeBase: { num: 1, den: RATE },
  startPts: 0,
  startTimecode: null,
  rotation: 0,
  interlaced: false,
  sampleAspectRatio: { num: 1, den: 1 },
  bitDepth: 8,
  hdr: false,
  audioStreams: [],
};
