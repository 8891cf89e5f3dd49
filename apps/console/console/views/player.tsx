import type { Job } from '@adit/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useObserved } from '../../shared/observed.js';
import { playerText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import type { Segment } from '../model/segments.js';
import { frameAt, positionText } from '../model/time.js';
import type { JobDetail } from '../state/job-detail.js';
import type { Shuttle } from '../state/shuttle.js';
import { Boxes } from './boxes.js';

interface PlayerProps {
  job: Job;
  detail: JobDetail;
  shuttle: Shuttle;
  segments: readonly Segment[];
  boxed: boolean;
  setBoxed: (boxed: boolean) => void;
  goTo: (direction: 1 | -1) => void;
  source: number;
  selected: Segment | null;
}

/** The picture with boxes, or a sentence why there is none; and the controls of a film. */
export function Player(props: PlayerProps) {
  const { job, detail, shuttle, segments, boxed, setBoxed, goTo, source, selected } = props;
  useObserved(shuttle);
  const text = useMessages(playerText);
  const [fault, setFault] = useState<string | null>(null);
  const [size, setSize] = useState<[number, number] | null>(null);
  const { media } = detail;
  const isStill = job.media_type === 'image' || job.media_type === 'pdf';
  const why = whyNot(job, detail, text) ?? fault;
  useEffect(() => {
    setFault(null);
    setSize(null);
  }, [source]);
  useFreshMedia(detail, shuttle, () => setFault(text.cannotPlay));
  const frame = (): number => (isStill ? source : frameAt(shuttle.time, shuttle.fps ?? 25));
  return (
    <div class="player" role="group" aria-label={text.player}>
      <div class="picture" style={{ '--aspect': size === null ? 16 / 9 : size[0] / size[1] }}>
        {media !== null && job.media_type === 'image' && (
          <img
            src={media.url}
            alt={media.filename}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize([naturalWidth, naturalHeight])}
            onError={() => setFault(text.cannotPlay)}
          />
        )}
        {media !== null && !isStill && why === null && (
          <Film
            {...{ shuttle, url: media.url }}
            onSize={(width, height) => {
              if (width > 0) setSize([width, height]);
              else if (job.media_type === 'video') setFault(text.noPicture);
            }}
          />
        )}
        {why !== null && <p class="why-not">{why}</p>}
        {boxed && <Boxes {...{ segments, shuttle, frame, selected, key: source }} />}
      </div>
      {!isStill && <Controls {...{ shuttle, goTo }} />}
      <div class="options">
        <label class="check">
          <input type="checkbox" checked={boxed} onChange={({ currentTarget }) => setBoxed(currentTarget.checked)} />
          <span>{text.boxes}</span>
        </label>
        {!isStill && (
          <details class="keys">
            <summary>{text.help}</summary>
            <p>{text.keys}</p>
          </details>
        )}
      </div>
    </div>
  );
}

function whyNot(job: Job, detail: JobDetail, text: ReturnType<typeof playerText.get>): string | null {
  if (job.media_type === 'pdf') return text.document;
  if (job.media_type === 'videostream') return text.stream;
  return detail.isPlayable ? null : text.notPlayable;
}

/** Addresses of media end after minutes: one that fails after it was good once is asked for anew. */
function useFreshMedia(detail: JobDetail, shuttle: Shuttle, onFault: () => void): void {
  const { media } = detail;
  const good = useRef<string | null>(null);
  useEffect(() => {
    if (shuttle.isReady && media !== null) good.current = media.url;
  });
  shuttle.onFault = () => {
    if (media !== null && good.current === media.url) void detail.readMedia();
    else onFault();
  };
}

function Film({
  shuttle,
  url,
  onSize,
}: {
  shuttle: Shuttle;
  url: string;
  onSize: (width: number, height: number) => void;
}) {
  const element = useRef<HTMLVideoElement>(null);
  useEffect(() => (element.current === null ? undefined : shuttle.attach(element.current)), [shuttle]);
  return (
    // What is said is in the list beside it; there is no file of captions.
    <video
      ref={element}
      src={url}
      preload="auto"
      playsInline
      onLoadedMetadata={({ currentTarget: { videoWidth, videoHeight } }) => onSize(videoWidth, videoHeight)}
      onClick={() => shuttle.toggle()}
    />
  );
}

/** Outlines in a square of 16. */
const SIGNS = {
  previous: 'M3 3h2v10H3zM13 3v10L6 8z',
  next: 'M11 3h2v10h-2zM3 3v10l7-5z',
  frameBack: 'M11 4v8L6 8z',
  frameOn: 'M5 4v8l5-4z',
  reverse: 'M13 2v12L2 8z',
  play: 'M3 2v12l11-6z',
  pause: 'M3 2h4v12H3zM9 2h4v12H9z',
  in: 'M4 2h6v2H6v8h4v2H4z',
  out: 'M12 2H6v2h4v8H6v2h6z',
  remove: 'M3.5 5 5 3.5l3 3 3-3L12.5 5l-3 3 3 3-1.5 1.5-3-3-3 3L3.5 11l3-3z',
};

function Controls({ shuttle, goTo }: { shuttle: Shuttle; goTo: (direction: 1 | -1) => void }) {
  const text = useMessages(playerText);
  const { fps, speed, markIn, markOut, isReady } = shuttle;
  const button = (sign: keyof typeof SIGNS, name: string, act: () => void, isOff = false) => (
    <button type="button" class="sign" aria-label={name} title={name} disabled={isOff} onClick={act}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={SIGNS[sign]} />
      </svg>
    </button>
  );
  return (
    <div class="controls">
      {button('previous', text.previous, () => goTo(-1))}
      {button('frameBack', text.frameBack, () => shuttle.step(-1))}
      {button('reverse', text.reverse, () => shuttle.backward(), !isReady)}
      {speed === 0
        ? button('play', text.play, () => shuttle.toggle(), !isReady)
        : button('pause', text.pause, () => shuttle.toggle())}
      {button('frameOn', text.frameOn, () => shuttle.step(1))}
      {button('next', text.next, () => goTo(1))}
      <Position shuttle={shuttle} />
      {Math.abs(speed) > 1 && <span class="speed">{text.speed({ speed })}</span>}
      {button('in', text.setIn, () => shuttle.setIn())}
      {button('out', text.setOut, () => shuttle.setOut())}
      {(markIn !== null || markOut !== null) && (
        <span class="marks">
          {text.marked({
            from: positionText(markIn ?? 0, fps),
            to: positionText(markOut ?? shuttle.duration, fps),
          })}
          {button('remove', text.clearMarks, () => shuttle.clearMarks())}
        </span>
      )}
    </div>
  );
}

/** Written at every frame, without drawing the page anew. */
function Position({ shuttle }: { shuttle: Shuttle }) {
  const text = useMessages(playerText);
  const element = useRef<HTMLOutputElement>(null);
  useEffect(() =>
    shuttle.eachTime((time) => {
      if (element.current !== null) element.current.textContent = positionText(time, shuttle.fps);
    }),
  );
  return <output ref={element} class="position" aria-label={text.position} aria-live="off" />;
}
