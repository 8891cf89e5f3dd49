import type { ImageInput } from '@adit/contracts';
import type { PixelBox } from './affine.js';
import type { RgbImage } from '@adit/media';
import { halfEven, resize, type Axis } from './resize.js';

/**
 * Position of the whole picture in a network's input, in whole pixels of the input. Parts beyond its borders are cut
 * off.
 */
interface Placement {
  left: number;
  top: number;
  width: number;
  height: number;
}

/**
 * Returns the smallest box around a picture of `width` × `height` with the aspect ratio of the network's input,
 * centred.
 */
export function letterbox(width: number, height: number, input: { width: number; height: number }): PixelBox {
  const scale = Math.max(width / input.width, height / input.height);
  const w = input.width * scale;
  const h = input.height * scale;
  return { x: (width - w) / 2, y: (height - h) / 2, w, h };
}

/** Returns the part of a picture that a network sees as its input; it may extend beyond the picture's borders. */
export function seenRegion(picture: { width: number; height: number }, input: ImageInput): PixelBox {
  const { width, height } = picture;
  if (input.filter === undefined) {
    if (input.resize === 'stretch') return { x: 0, y: 0, w: width, h: height };
    return input.resize === 'crop' ? middle(width, height, input) : letterbox(width, height, input);
  }
  const place = placed(picture, input);
  const across = width / place.width;
  const down = height / place.height;
  return { x: -place.left * across, y: -place.top * down, w: input.width * across, h: input.height * down };
}

/** Returns the centre of a picture, with the aspect ratio of the network's input. */
function middle(width: number, height: number, input: ImageInput): PixelBox {
  const scale = (input.shorterSide ?? Math.max(input.width, input.height)) / Math.min(width, height);
  const w = input.width / scale;
  const h = input.height / scale;
  return { x: (width - w) / 2, y: (height - h) / 2, w, h };
}

/**
 * Matches exporters' own code to the pixel. Centred letterbox is that of Ultralytics (data/augment.py, LetterBox),
 * letterbox in the corner that of YOLOX (data/data_augment.py, preproc); crop is that of torchvision (Resize and
 * CenterCrop), or of Hugging Face's image_transforms.center_crop.
 */
function placed({ width, height }: { width: number; height: number }, input: ImageInput): Placement {
  const whole = (pixels: number): number => Math.max(1, pixels);
  switch (input.resize) {
    case 'stretch':
      return { left: 0, top: 0, width: input.width, height: input.height };
    case 'crop': {
      const side = input.shorterSide ?? Math.max(input.width, input.height);
      const longer = whole(Math.floor((side * Math.max(width, height)) / Math.min(width, height)));
      const [w, h] = width < height ? [side, longer] : [longer, side];
      const middle = (space: number): number =>
        input.floorCrop === true ? Math.floor(space / 2) : halfEven(space / 2);
      return { left: -middle(w - input.width), top: -middle(h - input.height), width: w, height: h };
    }
    case 'letterbox':
    case undefined: {
      const scale = Math.min(input.width / width, input.height / height);
      if (input.pad?.at === 'corner') {
        return { left: 0, top: 0, width: whole(Math.floor(width * scale)), height: whole(Math.floor(height * scale)) };
      }
      const [w, h] = [whole(halfEven(width * scale)), whole(halfEven(height * scale))];
      const border = (space: number): number => halfEven(space / 2 - 0.1);
      return { left: border(input.width - w), top: border(input.height - h), width: w, height: h };
    }
  }
}

/**
 * Fits a whole picture into a network's input by `input.filter`: H×W×3 floats, red, green, blue, integers of 0..255,
 * padded with `input.pad` (default black). Writes to `into`, which has that many values.
 */
export function fit(image: RgbImage, input: ImageInput, into: Float32Array): void {
  const { filter = 'bilinear' } = input;
  const { left, top, width, height } = placed(image, input);
  const stride = input.width * 3;
  into.fill(input.pad?.value ?? 0, 0, input.height * stride);
  const across = shown(left, width, input.width);
  const down = shown(top, height, input.height);
  const offset = Math.max(0, top) * stride + Math.max(0, left) * 3;
  resize(image, across, down, filter, { data: into, offset, stride });
}

/** Returns the part within 0..limit of an axis that begins at `at`. */
function shown(at: number, length: number, limit: number): Axis {
  return { length, start: Math.max(0, -at), count: Math.min(limit, at + length) - Math.max(0, at) };
}
