export { audioPackMemory, cutAudio } from './audio/cut-audio.js';
export { openAudioPack, openAudioPackBuffer, packAudio, type AudioPack, type AudioPlace } from './audio/audio-pack.js';
export * from './sandbox/index.js';
export { cutClip } from './clip/cut-clip.js';
export { MAX_CLIP_BYTES, type ClipFile, type ClipSpan } from './clip/clip-request.js';
export type { DecodeIntervalRequest } from './video/chunk-run.js';
export { AUDIO_MEMORY, audioPieces, decodeAudio, storedAudio, type DecodedAudio } from './audio/decode-audio.js';
export { audioGridAround, GRID_MARGIN_SECONDS, planAudioGrid, PLANNING_RATE, tracksEnd } from './audio/audio-plan.js';
export { planMedia, type PlannableMedia } from './media-plan.js';
export { decodeImage, decodeInterval, decodePage, pictureSize } from './decode.js';
export { chunkMemory, pictureMemory, type Admit } from './decode-memory.js';
export { drawBoxes } from './picture/draw-boxes.js';
export { ffmpegInfo, ffmpegPath, ffprobePath } from './ffmpeg/ffmpeg-binary.js';
export { audible } from './ffmpeg/stream-facts.js';
export { missingParts, type FfmpegPart } from './ffmpeg/needed-parts.js';
export { TRIED_FFMPEG, untriedFfmpeg } from './ffmpeg/tried-ffmpeg.js';
export { FilmLimits } from './film-limits.js';
export { FrameIndex, type PictureHints, type SeekTable } from './video/frame-index.js';
export { freeArray } from './free-array.js';
export {
  cropRgb,
  frameAt,
  openFramePack,
  openFramePackBuffer,
  packFrames,
  type FramePack,
  type ReadRange,
} from './video/frame-pack.js';
export { decodeJpeg, type RgbImage } from './picture/decode-jpeg.js';
export { decodeImageFile, displayedSize, encodeJpeg } from './picture/picture.js';
export { isPictureName, PICTURE_FORMATS } from './formats/pictures/formats.js';
export { FILM_FORMATS } from './formats/films/formats.js';
export { isSoundName, SOUND_FORMATS } from './formats/sounds/formats.js';
export { planGrid, planRange, sampleFrames, type SampledFrame } from './plan.js';
export { probeMedia } from './probe.js';
export { ACCEPTED_MEDIA, mimeTypeOf, sniffBytes, sniffMedia, SNIFFED_BYTES } from './sniff.js';
export { openLocalFile } from './fetch/local.js';
export { fetchSource, type FetchOptions } from './fetch-source.js';
export type { FetchedSource } from './fetch/private-file.js';
export type { BucketAccess } from './fetch/s3/bucket-object.js';
export { platformFault, ytDlpState, type YtDlpState } from './fetch/platform/program.js';
export { bucketEndpointFault, checkSource, isOnPlatform, parseSource, type SourcePolicy } from './fetch/source-uri.js';
export { checkLive, hidesSecrets } from './stream/check-live.js';
export { liveProtocol, shownAddress, streamProtocol, type LiveProtocol } from './fetch/live-address.js';
export { CameraSettings, SourceSettings } from './fetch/source-settings.js';
export { OpenDocuments } from './pdf/open-documents.js';
export { pageMemory } from './pdf/pdf.js';
export { makeThumbnail } from './thumbnail.js';
export { decodeLive, type LivePiece, type SampledPictures, type SoundWanted } from './stream/live-decoder.js';
export { readSound, SoundBeside } from './stream/sound-beside.js';
export { nextDistance, soundDistance } from './stream/sound-distance.js';
export { soundFacts } from './video/film-facts.js';
export { LEAD_SECONDS, type LiveSound } from './stream/sound-cutter.js';
export { LIVE_SOUND_RATE, liveTrack } from './stream/live-sound.js';
export { archiveSound, withSoundTrack, type SoundArchive, type SoundFragment } from './stream/archive/sound-archive.js';
export { openEntry, type RunEntry } from './stream/archive/run-entry.js';
export { archiveRun, unrecordable, type ArchivedSegment, type RunArchive } from './stream/archive/run-archive.js';
export { LIVE_TICKS, openHead, type LiveHead, type SoundHead } from './stream/live-head.js';
export type { LiveOptions, LiveRun, OpenLive } from './stream/live-run.js';
export type { StreamPlace } from './stream/piece-cutter.js';
export { openLive } from './stream/open-live.js';
export { cameraStreams, type CameraStream } from './stream/onvif/camera-streams.js';
export { isOnvif } from './stream/onvif/onvif-address.js';
export { srtListenPort } from './stream/srt/srt-address.js';
export { FilmPlaylistError } from './stream/segments/segment-reader.js';
