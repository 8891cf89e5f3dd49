import type { VideoFacts } from '@adit/contracts';

/** Probe results of a plain film of 1280×720 pixels: 1,000 frames, 25 a second, one tick each, no sound. */
export function filmFacts(facts: Partial<VideoFacts> = {}): VideoFacts {
  return {
    kind: 'video',
    container: 'mp4',
    codec: 'h264',
    stream: 0,
    width: 1280,
    height: 720,
    fps: { num: 25, den: 1 },
    variableFrameRate: false,
    totalFrames: 1000,
    duration: 40,
    timeBase: { num: 1, den: 25 },
    startPts: 0,
    startTimecode: null,
    rotation: 0,
    interlaced: false,
    sampleAspectRatio: { num: 1, den: 1 },
    bitDepth: 8,
    hdr: false,
    audioStreams: [],
    ...facts,
  };
}
