import { Readable } from 'node:stream';
import type { StlClock } from '../ebu-stl/stl-clock.js';
import { writeStl } from '../ebu-stl/write-stl.js';
import type { TranscriptFileFormat } from '../transcript-format.js';

/** A transcript knows the time since the start of its source, and no timecode. */
const FROM_ZERO: StlClock = {
  format: 'STL25.01',
  fps: { num: 25, den: 1 },
  counting: { nominal: 25, dropFrame: false },
  first: 0,
};

/** Subtitles for broadcast (EBU Tech 3264) at 25 frames a second from 00:00:00:00. */
export const stl: TranscriptFileFormat<'stl'> = {
  name: 'stl',
  mimeType: 'application/octet-stream',
  extension: 'stl',
  write: ({ language, paragraphs }) =>
    Readable.from(writeStl(paragraphs, { clock: FROM_ZERO, title: '', language }), { objectMode: false }),
};
