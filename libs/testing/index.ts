export { CLOCK_ALONE } from './clock-alone.js';
export { FilmSite } from './media/film-site.js';
export { explainStatements, type ExplainedStatement } from './explained-statements.js';
export { filmFacts } from './media/film-facts.js';
export { blackPng, cmykJpeg, pngChunk, withOrientation, withPngChunks } from './media/forged-pictures.js';
export { describeLive, liveServer, SRT_PASSPHRASE, type LiveServer, type Publisher } from './live-server.js';
export { onvifCamera, type OnvifCamera, type OnvifCameraOptions } from './onvif-camera.js';
export { heldBuffers } from './held-buffers.js';
export { ffmpegProgram, fpsMode, quarterTurned } from './media/ffmpeg-program.js';
export { cachedMedia, transcode } from './media/made-media.js';
export { packageFolder, sampleMedia } from './media/media.js';
export { cutAt, hurtBetween, withComment, withStatedSize } from './media/damage.js';
export { numberedFilm, playedNumbers, readNumber, rgbLuminance } from './media/numbered-film.js';
export { selfSignedCertificate } from './certificate.js';
export { filmOf, photoOf, PLACES, type Place } from './media/places.js';
export { leastLongestTurn, longestTurn } from './longest-turn.js';
export { meanDifference } from './media/mean-difference.js';
export { RUNNABLE_FLAGS, runnable } from './our-program.js';
export { rowsOf, type PlanNode } from './plan-rows.js';
export { randomOf } from './random.js';
export { RawBucket } from './raw-bucket.js';
export { describeWith } from './describe-with.js';
export { freshDatabase, queryDatabase, type FreshDatabase } from './fresh-database.js';
export { jpegSize, pdfDocument, type PdfPage, type PlacedPicture } from './media/pdf-documents.js';
export { pythonWith } from './python.js';
export { watchStatements } from './watch-statements.js';
export { specDatabase, type SpecDatabase } from './spec-database.js';
export {
  mediamtxProgram,
  ownServer,
  testServer,
  uniqueName,
  type Missing,
  type OwnServer,
  type ServerName,
  type TestServers,
} from './servers.js';
export { spending } from './test-costs.js';
export { unzip } from './unzip.js';
export { zipOf } from './zip-of.js';
export { isWaitedFor } from './waited-for.js';
export { accessibilityFaults } from './accessibility.js';
export { BrowserPage, chromium } from './browser.js';
export { signedIn } from './console-page.js';
export { onSmallDisk, smallDisk, type SmallDisk } from './small-disk.js';
