export { cachedMedia, sampleMedia, transcode, type SampleMedia } from './media.js';
