export { missingConfinement, networkShutBy } from './child/confinement.js';
export type { DecodeIntervalRequest, DecodeLimits } from './chunk-run.js';
export { decodeImage, decodeInterval, pictureSize } from './decode.js';
export { chunkMemory, pictureMemory, type Admit } from './decode-memory.js';
export { ffmpegInfo, ffmpegPath, ffprobePath, type FfmpegInfo } from './ffmpeg-binary.js';
export { FilmLimits } from './film-limits.js';
export { FrameIndex, type FrameIndexParts, type PictureHints, type SeekPoint, type SeekTable } from './frame-index.js';
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
