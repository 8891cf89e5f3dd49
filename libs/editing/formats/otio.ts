import type { EditFormat } from '../edit-format.js';
import type { EditEvent, EditList, EditSource } from '../edit-list.js';
import type { EditRate } from '../edit-rate.js';
import { nameOf, noteOf, oneLine } from '../shown.js';
import { recordStart } from './timecodes.js';

/**
 * A timeline of OpenTimelineIO (JSON, schemas of 0.15 and newer): each event a clip with a marker, times in frames at the rate of its
 * source, lengths instead of out-points.
 */
export const otio: EditFormat<'otio'> = {
  name: 'otio',
  mimeType: 'application/json',
  extension: 'otio',
  layout: 'put together',
  mixesRates: true,
  needsSource: true,
  passes: 2,
  async *write(list) {
    const { title, rate, events } = list;
    const open = {
      OTIO_SCHEMA: 'Timeline.1',
      name: oneLine(title),
      metadata: {},
      global_start_time: time(recordStart(list), rate),
    };
    yield `${JSON.stringify(open).slice(0, -1)},"tracks":{"OTIO_SCHEMA":"Stack.1","name":"tracks","metadata":{},"children":[`;
    let isFirst = true;
    for (const kind of kindsOf(list)) {
      yield `${isFirst ? '' : ','}{"OTIO_SCHEMA":"Track.1","name":"${kind}","metadata":{},"kind":"${kind}","children":[\n`;
      isFirst = false;
      let between = '';
      for await (const event of events()) {
        yield between + JSON.stringify(clipOf(event, kind, rate));
        between = ',\n';
      }
      yield '\n]}';
    }
    yield ']}}\n';
  },
};

type Kind = 'Video' | 'Audio';

/** A track of each kind that any source has. */
function kindsOf({ sources }: EditList): Kind[] {
  const kinds: Kind[] = [];
  if (sources.some(({ size }) => size !== null)) kinds.push('Video');
  if (sources.some(({ hasSound }) => hasSound)) kinds.push('Audio');
  return kinds;
}

function clipOf(event: EditEvent, kind: Kind, rate: EditRate): object {
  const { source, start, end, module, label, text, speaker } = event;
  const hasKind = kind === 'Video' ? source.size !== null : source.hasSound;
  const length = end - start;
  // A source without pictures leaves as long a gap in the track of pictures.
  if (!hasKind) return { OTIO_SCHEMA: 'Gap.1', name: '', metadata: {}, source_range: range(0, length, source.rate) };
  const marker = {
    OTIO_SCHEMA: 'Marker.2',
    name: nameOf(event),
    color: 'GREEN',
    comment: noteOf(event),
    marked_range: range(source.firstFrame + start, length, source.rate),
    metadata: { adit: { module, label, text, speaker } },
  };
  return {
    OTIO_SCHEMA: 'Clip.2',
    name: nameOf(event),
    metadata: { adit: { source: source.name, reel: source.tape, timeline_rate: rate.fps.num / rate.fps.den } },
    source_range: range(source.firstFrame + start, length, source.rate),
    effects: [],
    markers: kind === 'Video' || source.size === null ? [marker] : [],
    enabled: true,
    media_references: { DEFAULT_MEDIA: referenceOf(source) },
    active_media_reference_key: 'DEFAULT_MEDIA',
  };
}

function referenceOf({ name, location, firstFrame, length, rate }: EditSource): object {
  return {
    OTIO_SCHEMA: 'ExternalReference.1',
    name,
    metadata: {},
    target_url: location,
    available_range: range(firstFrame, length, rate),
    available_image_bounds: null,
  };
}

function range(start: number, length: number, rate: EditRate): object {
  return { OTIO_SCHEMA: 'TimeRange.1', start_time: time(start, rate), duration: time(length, rate) };
}

function time(value: number, { fps }: EditRate): object {
  return { OTIO_SCHEMA: 'RationalTime.1', value, rate: fps.num / fps.den };
}
