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
export { ACCEPTED_MEDIA, mimeTypeOf, sniffBytes, sniffMedia, SNIFFED_BYTES, type SniffedMedia } from './sniff.js';
export { fetchSource, type FetchOptions } from './fetch/fetch-source.js';
export type { FetchedSource } from './fetch/private-file.js';
export { checkSource, type SourcePolicy } from './fetch/source-uri.js';
export { SourceSettings } from './source-settings.js';
export { makeThumbnail, type ThumbnailRequest } from './thumbnail.js';
