export { filmFacts } from './film-facts.js';
export { blackPng, cmykJpeg, withOrientation } from './forged-pictures.js';
export { cachedMedia, packageFolder, sampleMedia, transcode, type SampleMedia } from './media.js';
export { cutAt, hurtBetween, withStatedSize } from './damage.js';
export { numberedFilm, playedNumbers, readNumber, rgbLuminance, type Luminance } from './numbered-film.js';
export { selfSignedCertificate, type Certificate } from './certificate.js';
export { filmOf, photoOf, PLACES, type Look, type Place } from './places.js';
export { meanDifference } from './mean-difference.js';
export { randomOf } from './random.js';
export { describeWith } from './describe-with.js';
export { freshDatabase, queryDatabase, type FreshDatabase } from './fresh-database.js';
export { specDatabase, type SpecDatabase } from './spec-database.js';
export {
  ownServer,
  testServer,
  uniqueName,
  type Missing,
  type OwnServer,
  type ServerName,
  type TestServers,
} from './servers.js';
export { unzip } from './unzip.js';
