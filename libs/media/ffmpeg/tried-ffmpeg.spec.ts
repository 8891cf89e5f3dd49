import { expect, it } from '@jest/globals';
import { TRIED_FFMPEG, untriedFfmpeg } from './tried-ffmpeg.js';

it.each(['5.1.9-0+deb12u1', 'n8.1.2', '6.0-static', '7.0.2', '9.0.2-4', 'n9.0.2-17-g2a571b6068-20260930'])(
  'a tested version gives no warning: ffmpeg %s',
  (version) => expect(untriedFfmpeg(version)).toBeNull(),
);

it.each([
  ['4.4.2-0ubuntu0.22.04.1', 'older'],
  ['5.0.1', 'older'],
  ['9.1', 'newer'],
  ['10.0.1', 'newer'],
  ['N-121001-gadc66f30ee', 'has no version'],
])('a warning about ffmpeg %s calls it %s', (version, word) => {
  expect(untriedFfmpeg(version)).toContain(word);
  expect(untriedFfmpeg(version)).toContain(`${TRIED_FFMPEG[0]} to ${TRIED_FFMPEG.at(-1)}`);
});
