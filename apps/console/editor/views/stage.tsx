import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Ref } from 'preact';
import { clock, spokenTime } from '../model/time.js';
import type { Editor } from '../state/editor.js';
import { SPEEDS, type Player } from '../state/player.js';
import { useObserved } from '../../shared/observed.js';
import { VoiceStrip } from './voice-strip.js';

interface StageProps {
  editor: Editor;
  player: Player;
  hues: ReadonlyMap<string, number>;
  follow: boolean;
  onFollow: (follow: boolean) => void;
}

/** The player of the recording: through the API, or of a file from the user's disk. */
export function Stage({ editor, player, hues, follow, onFollow }: StageProps) {
  useObserved(player);
  const element = useRef<HTMLVideoElement>(null);
  // Attached before the recording can load: the element reports its metadata only once.
  useLayoutEffect(() => (element.current === null ? undefined : player.attach(element.current)), [player]);
  const recording = useRecording(editor, player);
  const length = player.duration > 0 ? player.duration : (editor.base.paragraphs.at(-1)?.time_end ?? 0);
  return (
    <section
      class="stage"
      aria-label="Recording"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        recording.open(event.dataTransfer?.files[0]);
      }}
    >
      <Screen player={player} recording={recording} element={element} />
      <div class="strip">
        <VoiceStrip paragraphs={editor.paragraphs} hues={hues} length={length} />
        <Position player={player} length={length} />
      </div>
      <Controls player={player} length={length} />
      <div class="below">
        <label class="check">
          <input type="checkbox" checked={follow} onChange={({ currentTarget }) => onFollow(currentTarget.checked)} />
          Follow the voice
        </label>
        <FileChoice text={recording.own ?? 'Another recording…'} look="link" onFile={recording.open} />
      </div>
    </section>
  );
}

interface Recording {
  source: string | undefined;
  name: string | undefined;
  /** Name of the file from the user's disk; null while the recording comes through the API. */
  own: string | null;
  open: (file: File | undefined) => void;
}

function useRecording(editor: Editor, player: Player): Recording {
  const [own, setOwn] = useState<{ name: string; address: string } | null>(null);
  useEffect(() => () => (own === null ? undefined : URL.revokeObjectURL(own.address)), [own]);
  const { media } = editor.access;
  // A new token gives the same recording another address; the first one stays in use as long as it works.
  const newest = editor.recording;
  const [kept, setKept] = useState(newest);
  useEffect(() => {
    if (newest !== undefined && (kept === undefined || player.fault !== null)) setKept(newest);
  }, [newest, kept, player.fault]);
  useEffect(() => {
    if (player.fault !== null && own === null) void editor.renewRecording();
  }, [player.fault, own]);
  return {
    source: own?.address ?? (media === null ? undefined : kept),
    name: own?.name ?? media?.filename,
    own: own?.name ?? null,
    open: (file) => {
      if (file !== undefined) setOwn({ name: file.name, address: URL.createObjectURL(file) });
    },
  };
}

interface FileChoiceProps {
  text: string;
  look: string;
  onFile: (file: File | undefined) => void;
}

function FileChoice({ text, look, onFile }: FileChoiceProps) {
  return (
    <label class={look}>
      {text}
      <input type="file" accept="audio/*,video/*" onChange={({ currentTarget }) => onFile(currentTarget.files?.[0])} />
    </label>
  );
}

interface ScreenProps {
  player: Player;
  recording: Recording;
  element: Ref<HTMLVideoElement>;
}

/** The picture of a film; a card where there is none, or nothing that plays. */
function Screen({ player, recording: { source, name, open }, element }: ScreenProps) {
  const [isFilm, setFilm] = useState(false);
  return (
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
              <FileChoice text="Open it from your disk" look="button" onFile={open} />
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
  );
}

function Position({ player, length }: { player: Player; length: number }) {
  return (
    <>
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
    </>
  );
}

function Controls({ player, length }: { player: Player; length: number }) {
  return (
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
  );
}
