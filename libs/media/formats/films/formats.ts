import { AVI } from './avi.js';
import type { FilmFormat } from './film-format.js';
import { MATROSKA, WEBM } from './matroska.js';

const MPEG = 'MPEG (PS and TS)';
/** ffmpeg tells the members of this family apart by more than their first bytes, which may be damaged. */
const MPEG_DEMUXERS = ['mpeg', 'mpegts', 'mpegvideo'];

/** Film formats that are mined; a file may hold only sound. A format that needs more than names has its own file. */
export const FILM_FORMATS: readonly FilmFormat[] = [
  {
    name: 'mp4',
    title: 'MP4',
    sniffedAs: ['mp4', 'm4v', 'm4p', 'f4v', '3gp', '3g2'],
    contentType: 'video/mp4',
    extensions: ['.mp4'],
    demuxers: ['mov'],
  },
  {
    name: 'mov',
    title: 'MOV',
    sniffedAs: ['mov'],
    contentType: 'video/quicktime',
    extensions: ['.mov'],
    demuxers: ['mov'],
  },
  {
    name: 'mpeg-ps',
    title: MPEG,
    sniffedAs: [],
    contentType: 'video/mpeg',
    extensions: ['.mpg', '.mpeg'],
    demuxers: MPEG_DEMUXERS,
  },
  {
    name: 'mpeg-video',
    title: MPEG,
    sniffedAs: [],
    contentType: 'video/mpeg',
    extensions: [],
    demuxers: MPEG_DEMUXERS,
  },
  {
    name: 'mpeg-ts',
    title: MPEG,
    sniffedAs: [],
    contentType: 'video/mp2t',
    extensions: ['.ts'],
    demuxers: MPEG_DEMUXERS,
  },
  {
    name: 'mxf',
    title: 'MXF',
    sniffedAs: ['mxf'],
    contentType: 'application/mxf',
    extensions: ['.mxf'],
    demuxers: ['mxf'],
  },
  MATROSKA,
  WEBM,
  AVI,
];
