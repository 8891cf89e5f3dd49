import { type DetailedResult, type MediaFacts, type MediaType, identityLabel, isoTime } from '@adit/contracts';
import type { SegmentEntity } from '@adit/database';
import { timecodeAt } from '@adit/module-kit';

/** Fields of a segment that its row does not repeat. */
interface SegmentSurroundings {
  mediaType: MediaType;
  source: string;
  sourceName: string;
  facts: MediaFacts | null;
  /** Name of the module in results. */
  resultName: string;
  /** Base64 JPEG, or null when the segment has no picture. */
  thumbnail: string | null;
  /** Wall clock of time 0 of a live source. */
  zeroAt?: Date | null | undefined;
}

/** Label for clients: the identity's where the segment has one. */
export function segmentLabel(segment: Pick<SegmentEntity, 'label' | 'identityNumber'>): string {
  return segment.identityNumber === null ? segment.label : identityLabel(segment.identityNumber);
}

/** Media type of its source; a job of films and recordings is one of video. */
function mediaTypeOf(job: MediaType, facts: MediaFacts | null): DetailedResult['media_type'] {
  // Each page of a document is a picture.
  if (job === 'image' || job === 'pdf') return 'image';
  if (job === 'videostream') return job;
  return job === 'audio' || facts?.kind === 'audio' ? 'audio' : 'video';
}

/** Presents a stored segment in the API. Times of images and pages are 0 and their timecodes 00:00:00:00. */
export function presentSegment(segment: SegmentEntity, around: SegmentSurroundings): DetailedResult {
  const { facts, mediaType, source, sourceName, resultName, thumbnail, zeroAt = null } = around;
  const timecode = (frame: number | null, time: number): string =>
    facts === null ? '00:00:00:00' : timecodeAt(facts, frame, time);
  const meta = { ...segment.meta };
  if (segment.identityNumber !== null && 'person' in meta) {
    meta['person'] = segmentLabel(segment);
    // The closest match is presented only for the label `unknown`.
    delete meta['closest_person'];
  }
  // Transcripts are made of words; clients see them when they asked for them.
  if (meta['words_hidden'] === true) delete meta['words'];
  delete meta['words_hidden'];
  return {
    media_type: mediaTypeOf(mediaType, facts),
    frame_start: segment.frameStart,
    frame_end: segment.frameEnd,
    time_start: segment.timeStart,
    time_end: segment.timeEnd,
    tc_start: timecode(segment.frameStart, segment.timeStart),
    tc_end: timecode(segment.frameEnd, segment.timeEnd),
    ...(zeroAt !== null && { time_of_day: isoTime(new Date(zeroAt.getTime() + segment.timeStart * 1000)) }),
    // Erasures find it in messages by adjacent keys, so the order matters.
    source,
    module: resultName,
    source_name: sourceName,
    meta,
    detections: segment.detections,
    thumbnail:
      thumbnail === null || segment.thumbnail === null
        ? null
        : { image: thumbnail, meta: { width: segment.thumbnail.width, height: segment.thumbnail.height } },
  };
}
