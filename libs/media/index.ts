export { decodeImage, decodeInterval, pictureSize, type DecodeIntervalRequest, type DecodeLimits } from './decode.js';
export { ffmpegInfo, ffmpegPath, ffprobePath, type FfmpegInfo } from './ffmpeg-binary.js';
export { FrameIndex, type FrameIndexParts, type PictureHints, type SeekPoint } from './frame-index.js';
export {
  cropRgb,
  openFramePack,
  openFramePackBuffer,
  packFrames,
  type FramePack,
  type ReadRange,
} from './frame-pack.js';
export { decodeImageFile, decodeJpeg, encodeJpeg, type RgbImage } from './picture.js';
export { planGrid, planRange, sampleFrames, type SampledFrame } from './plan.js';
export { probeMedia, type ProbedMedia, type ProbeOptions } from './probe.js';
export { ACCEPTED_MEDIA, sniffMedia, type SniffedMedia } from './sniff.js';
