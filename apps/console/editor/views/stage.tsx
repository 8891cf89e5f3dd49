import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { clock, spokenTime } from '../model/time.js';
import type { Editor } from '../state/editor.js';
import { SPEEDS, type Player } from '../state/player.js';
import { useObserved } from './observed.js';
import { VoiceStrip } from './voice-strip.js';

interface StageProps {
  editor: Editor;
  player: Player;
  hues: ReadonlyMap<string, number>;
  follow: boolean;
  onFollow: (follow: boolean) => void;
}

/** What is heard or seen: the recording through the API, or one from the disk. */
export function Stage({ editor, player, hues, follow, onFollow }: StageProps) {
  useObserved(player);
  const element = useRef<HTMLVideoElement>(null);
  const [own, setOwn] = useState<{ name: string; address: string } | null>(null);
  const [isFilm, setFilm] = useState(false);
  // Before the recording can come: what it says of itself is said once.
  useLayoutEffect(() => (element.current === null ? undefined : player.attach(element.current)), [player]);
  useEffect(() => () => (own === null ? undefined : URL.revokeObjectURL(own.address)), [own]);
  const { media } = editor.access;
  // Another token is another address of the same recording, which goes on by the first one as long as that is good.
  const newest = media === null ? undefined : editor.api.mediaAddress();
  const [kept, setKept] = useState(newest);
  useEffect(() => {
    if (newest !== undefined && (kept === undefined || player.fault !== null)) setKept(newest);
  }, [newest, kept, player.fault]);
  const source = own?.address ?? (media === null ? undefined : kept);
  const open = (file: File | undefined): void => {
    if (file !== undefined) setOwn({ name: file.name, address: URL.createObjectURL(file) });
  };
  const choose = (text: string, look: string) => (
    <label class={look}>
      {text}
      <input type="file" accept="audio/*,video/*" onChange={({ currentTarget }) => open(currentTarget.files?.[0])} />
    </label>
  );
  const length = player.duration > 0 ? player.duration : (editor.base.paragraphs.at(-1)?.time_end ?? 0);
  const name = own?.name ?? media?.filename;
  return (
    <section
      class="stage"
      aria-label="Recording"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        open(event.dataTransfer?.files[0]);
      }}
    >
      <div class={`screen ${isFilm ? 'film' : 'sound'}`}>
        <video
          ref={element}
          src={source}
          preload="metadata"
          playsInline
          tabIndex={-1}
          aria-label={name ?? 'Recording'}
          hidden={!isFilm}
          onLoadedMetadata={({ currentTarget }) => setFilm(currentTarget.videoWidth > 0)}
          onClick={() => player.toggle()}
        />
        {!isFilm && (
          <div class="card">
            {source === undefined || player.fault !== null ? (
              <>
                <p>{player.fault ?? 'The recording is not kept by this service.'}</p>
                {choose('Open it from your disk', 'button')}
              </>
            ) : (
              <>
                <span class="clock" aria-hidden="true">
                  {clock(player.time)}
                </span>
                <p>{name}</p>
              </>
            )}
          </div>
        )}
      </div>
      <div class="strip">
        <VoiceStrip paragraphs={editor.paragraphs} hues={hues} length={length} />
        <i class="head" style={{ left: `${length > 0 ? (100 * player.time) / length : 0}%` }} />
        <input
          type="range"
          aria-label="Place in the recording"
          min={0}
          max={Math.max(length, 0.1)}
          step={0.1}
          value={player.time}
          aria-valuetext={spokenTime(player.time)}
          onInput={({ currentTarget }) => player.seek(Number(currentTarget.value))}
        />
      </div>
      <div class="controls">
        <button type="button" class="plain" aria-label="Back 3 seconds" onClick={() => player.seek(player.time - 3)}>
          −3
        </button>
        <button
          type="button"
          class="play"
          disabled={!player.ready}
          aria-label={player.playing ? 'Pause' : 'Play'}
          onClick={() => player.toggle()}
        >
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d={player.playing ? 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z' : 'M8 5v14l11-7z'} />
          </svg>
        </button>
        <button type="button" class="plain" aria-label="On 3 seconds" onClick={() => player.seek(player.time + 3)}>
          +3
        </button>
        <span class="time">
          {clock(player.time)} <small>/ {clock(length)}</small>
        </span>
        <select
          aria-label="Speed"
          value={player.speed}
          onChange={({ currentTarget }) => player.setSpeed(Number(currentTarget.value))}
        >
          {SPEEDS.map((speed) => (
            <option key={speed} value={speed}>
              {speed}×
            </option>
          ))}
        </select>
      </div>
      <div class="below">
        <label class="check">
          <input type="checkbox" checked={follow} onChange={({ currentTarget }) => onFollow(currentTarget.checked)} />
          Follow the voice
        </label>
        {choose(own === null ? 'Another recording…' : own.name, 'link')}
      </div>
    </section>
  );
}
