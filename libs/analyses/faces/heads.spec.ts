import { describe, expect, it } from '@jest/globals';
import type { FramePack } from '@adit/inference';
import { Heads } from './heads.js';
import type { Sighting } from './sighting.js';
import { foundFace } from '../testing/found-face.js';

/** Frames of a film; head boxes need no pixels. */
const frame = { frame: 0, time: 0, width: 1280, height: 720 };
const film = { frames: [frame, { ...frame, frame: 1, time: 0.5 }] } as unknown as FramePack;

/** A detected face in pixels. */
const face = (x: number, y: number, w: number, h: number, index = 0): Sighting =>
  foundFace(frame, { x, y, w, h }, index);

describe('the head of a face', () => {
  const heads = new Heads(film, [face(456, 151, 438, 450), face(40, 60, 28, 37)]);

  it('contains an ear beside the face, and a forehead above it', () => {
    expect(heads.hold(face(907, 356, 44, 96))).toBe(true);
    expect(heads.hold(face(560, 90, 200, 130))).toBe(true);
  });

  it('contains neither people behind it nor a larger face beside it', () => {
    expect(heads.hold(face(980, 356, 44, 56))).toBe(false);
    // Two of a crowd, one before the other: the nearest true pair of 115 doubtful faces.
    expect(heads.hold(face(61, 29, 23, 30))).toBe(false);
    expect(heads.hold(face(30, 60, 60, 80))).toBe(false);
  });

  it('contains only faces of the same frame', () => {
    expect(heads.hold(face(907, 356, 44, 96, 1))).toBe(false);
    expect(new Heads(film, []).hold(face(907, 356, 44, 96))).toBe(false);
  });

  it('has the same width in other aspect ratios, since boxes are compared in pixels', () => {
    const tall = { frames: [{ ...frame, width: 720, height: 2160 }] } as unknown as FramePack;
    const turned = (one: Sighting): Sighting => ({
      ...one,
      ...{ x: (one.x * 1280) / 720, w: (one.w * 1280) / 720, y: one.y / 3, h: one.h / 3 },
    });
    const small = new Heads(tall, [turned(face(300, 151, 238, 250))]);
    expect(small.hold(turned(face(545, 220, 30, 60)))).toBe(true);
    expect(small.hold(turned(face(590, 220, 30, 60)))).toBe(false);
  });
});
