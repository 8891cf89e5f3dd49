import { hueOf } from './timeline-drawing.js';

/** A place in a picture, as fractions of its width and height. */
export interface LabelledBox {
  label: string;
  x: number;
  y: number;
  w: number;
  h: number;
}

interface FramedPictureProps {
  /** Address of the picture. */
  picture: string;
  /** In pixels. */
  size: { width: number; height: number };
  boxes: readonly LabelledBox[];
  /** What is seen, in words; empty where the same is said beside it. */
  alt: string;
  onError?: () => void;
}

/** A picture with boxes around what was found in it. */
export function FramedPicture({ picture, size, boxes, alt, onError }: FramedPictureProps) {
  return (
    <div class="tried" style={{ '--aspect': size.width / size.height }}>
      <img src={picture} alt={alt} {...{ onError }} />
      <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        {boxes.map(({ label, x, y, w, h }, at) => (
          <rect key={at} x={x} y={y} width={w} height={h} stroke={`hsl(${hueOf(label)} 70% 60%)`} />
        ))}
      </svg>
    </div>
  );
}
