import type { FilmFormat } from './film-format.js';

/** AVI, also of several gigabytes (OpenDML). */
export const AVI: FilmFormat = {
  name: 'avi',
  title: 'AVI',
  sniffedAs: ['avi'],
  contentType: 'video/x-msvideo',
  extensions: ['.avi'],
  demuxers: ['avi'],
  begins: (head) => /^RIFF....AVI[ X]/s.test(head.toString('latin1', 0, 12)),
};

/** Bytes of a chunk's name and size, in front of the packet. */
export const AVI_CHUNK_HEADER = 8;
