export { audioPackMemory, cutAudio } from './cut-audio.js';
export { openAudioPack, openAudioPackBuffer, packAudio, type AudioPack } from './audio-pack.js';
export * from './child/index.js';
export type { DecodeIntervalRequest } from './chunk-run.js';
export { AUDIO_MEMORY, audioPieces, decodeAudio, storedAudio, type DecodedAudio } from './decode-audio.js';
export { audioGridAround, GRID_MARGIN_SECONDS, planAudioGrid, PLANNING_RATE, tracksEnd } from './audio-plan.js';
export { planMedia, type PlannableMedia } from './media-plan.js';
export { decodeImage, decodeInterval, decodePage, pictureSize } from './decode.js';
export { chunkMemory, pictureMemory, type Admit } from './decode-memory.js';
export { drawBoxes } from './draw-boxes.js';
export { ffmpegInfo, ffmpegPath, ffprobePath } from './ffmpeg-binary.js';
export { TRIED_FFMPEG, untriedFfmpeg } from './tried-ffmpeg.js';
export { FilmLimits } from './film-limits.js';
export { FrameIndex, type PictureHints, type SeekTable } from './frame-index.js';
export { freeArray } from './free-array.js';
export {
  cropRgb,
  frameAt,
  openFramePack,
  openFramePackBuffer,
  packFrames,
  type FramePack,
  type ReadRange,
} from './frame-pack.js';
export { decodeJpeg, type RgbImage } from './decode-jpeg.js';
export { decodeImageFile, displayedSize, encodeJpeg } from './picture.js';
export { isPictureName, PICTURE_FORMATS } from './pictures/formats.js';
export { isSoundName, SOUND_FORMATS } from './sounds/formats.js';
export { planGrid, planRange, sampleFrames, type SampledFrame } from './plan.js';
export { probeMedia } from './probe.js';
export { ACCEPTED_MEDIA, mimeTypeOf, sniffBytes, sniffMedia, SNIFFED_BYTES } from './sniff.js';
export { openLocalFile } from './fetch/local.js';
export { fetchSource, type FetchOptions } from './fetch/fetch-source.js';
export type { FetchedSource } from './fetch/private-file.js';
export { platformFault } from './fetch/platform.js';
export { checkSource, isOnPlatform, parseSource, type SourcePolicy } from './fetch/source-uri.js';
export { SourceSettings } from './source-settings.js';
export { OpenDocuments } from './pdf/open-documents.js';
export { pageMemory } from './pdf/pdf.js';
export { makeThumbnail } from './thumbnail.js';
