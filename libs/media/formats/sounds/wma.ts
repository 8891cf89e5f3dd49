import type { SoundFormat } from './sound-format.js';

/** Windows Media audio in ASF; a film in ASF is refused here or by the probe. */
export const WMA: SoundFormat = {
  name: 'wma',
  title: 'WMA',
  sniffedAs: [],
  contentType: 'audio/x-ms-wma',
  extensions: ['.wma'],
  demuxers: ['asf'],
  begins: (head) => isAsf(head) && !head.includes(VIDEO) && !isLockedWma(head),
};

// GUIDs of the ASF specification, 10: the header, a video stream, and encryption.
const HEADER = Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex');
const VIDEO = Buffer.from('c0ef19bc4d5bcf11a8fd00805f5c442b', 'hex');
const LOCKS = ['fbb3112223bdd211b4b700a0c955fc6e', '14e68a292226174cb935dae07ee9289c'].map((id) =>
  Buffer.from(id, 'hex'),
);

function isAsf(head: Buffer): boolean {
  return head.subarray(0, HEADER.length).equals(HEADER);
}

/** Tests for Windows Media that needs a licence to play. */
export function isLockedWma(head: Buffer): boolean {
  return isAsf(head) && LOCKS.some((lock) => head.includes(lock));
}
