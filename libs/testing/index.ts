export { cachedMedia, sampleMedia, transcode, type SampleMedia } from './media.js';
export { numberedFilm, playedNumbers, readNumber, rgbLuminance, type Luminance } from './numbered-film.js';
