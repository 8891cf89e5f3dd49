import type { LiveStream } from '@adit/client';
import { useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { streamsText } from '../../messages/streams.en.js';
import { clock } from '../../model/time.js';
import type { StreamDetail } from '../../state/stream-detail.js';
import { FramedPicture } from '../framed-picture.js';
import { hueOf } from '../timeline-drawing.js';

const HLS = 'application/vnd.apple.mpegurl';

/** What the stream showed last: the newest picture with what was found in it, and its recording. */
export function StreamPictures({ detail, stream }: { detail: StreamDetail; stream: LiveStream }) {
  const text = useMessages(streamsText);
  const { picture, playlist } = detail;
  const labels = [...new Set(picture?.boxes.map(({ label }) => label))];
  return (
    <section class="part" aria-label={text.picture}>
      <h2>
        {text.picture}
        {picture !== null && <small> {text.pictureAt({ time: clock(picture.time) })}</small>}
      </h2>
      {picture === null ? (
        <p class="soft">{text.noPicture}</p>
      ) : (
        <>
          <FramedPicture
            {...{ picture: picture.url, size: picture, boxes: picture.boxes }}
            alt={labels.length === 0 ? text.picture : text.pictureOf({ what: labels.join(', ') })}
          />
          <ul class="labels">
            {labels.map((label) => (
              <li key={label}>
                <span class="label">
                  <i aria-hidden="true" style={{ '--hue': hueOf(label) }} />
                  {label}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {stream.recorded && playlist !== null && <RecordingPlayer playlist={playlist} />}
    </section>
  );
}

/** Plays the recording where the browser can, and names its address where it cannot. */
function RecordingPlayer({ playlist }: { playlist: string }) {
  const text = useMessages(streamsText);
  const [plays, setPlays] = useState(() => document.createElement('video').canPlayType(HLS) !== '');
  return (
    <>
      <h3>{text.recording}</h3>
      {plays ? (
        <video
          class="recording"
          src={playlist}
          controls
          muted
          aria-label={text.recording}
          onError={() => setPlays(false)}
        />
      ) : (
        <p class="soft">{text.cannotPlay}</p>
      )}
      <a href={playlist}>{text.openRecording}</a>
    </>
  );
}
