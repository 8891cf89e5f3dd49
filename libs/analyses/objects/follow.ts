import { elementAt } from '@adit/contracts';
import { overlap } from '@adit/inference';
import { Tracker, type Followed, type Sighted } from '../tracking/track.js';
import type { DetectedObject } from '../detection/detect-objects.js';

/** An object in one sampled frame. */
export type SightedObject = DetectedObject & Sighted;

/** An object followed through a unit. */
export interface FollowedObject {
  label: string;
  sightings: SightedObject[];
}

/** Intersection over union from which two boxes of different labels in consecutive samples are one object. */
const SAME_THING = 0.5;

/**
 * Follows objects from sample to sample, separately per label: a dog never continues as a cat. An object with one label
 * before and after an interruption keeps it in between, whatever its label there.
 */
export class ObjectFollower {
  private readonly trackers = new Map<string, Tracker<SightedObject>>();

  /** Adds all objects of one sampled frame; `afterCut` means that it belongs to another shot than the one before. */
  add(objects: readonly SightedObject[], afterCut: boolean): void {
    const byLabel = new Map<string, SightedObject[]>();
    for (const label of this.trackers.keys()) byLabel.set(label, []);
    for (const object of objects) byLabel.set(object.label, [...(byLabel.get(object.label) ?? []), object]);
    for (const [label, sightings] of byLabel) {
      const tracker = this.trackers.get(label) ?? new Tracker<SightedObject>();
      this.trackers.set(label, tracker);
      tracker.add(sightings, afterCut);
    }
  }

  /** Returns every track, in the order of first sight, then of label and position. */
  finish(): FollowedObject[] {
    const tracks = [...this.trackers].flatMap(([label, tracker]) =>
      tracker.finish().map(({ sightings }: Followed<SightedObject>) => ({ label, sightings })),
    );
    return withoutFlicker(tracks).sort((a, b) => {
      const [first, second] = [elementAt(a.sightings, 0), elementAt(b.sightings, 0)];
      return (
        first.index - second.index ||
        (a.label < b.label ? -1 : a.label > b.label ? 1 : 0) ||
        first.x - second.x ||
        first.y - second.y
      );
    });
  }
}

/** Merges a track whose sightings all fill gaps of a longer one in its place into that one, under its label. */
function withoutFlicker(tracks: FollowedObject[]): FollowedObject[] {
  const kept: FollowedObject[] = [];
  for (const track of [...tracks].sort((a, b) => b.sightings.length - a.sightings.length)) {
    const whole = kept.find((longer) => longer.label !== track.label && fillsGaps(track, longer));
    if (whole === undefined) kept.push({ ...track, sightings: [...track.sightings] });
    else {
      whole.sightings.push(...track.sightings.map((sighting) => ({ ...sighting, label: whole.label })));
      whole.sightings.sort((a, b) => a.index - b.index);
    }
  }
  return kept;
}

function fillsGaps({ sightings }: FollowedObject, longer: FollowedObject): boolean {
  return (
    longer.sightings.length > sightings.length && sightings.every((sighting) => isInGap(sighting, longer.sightings))
  );
}

function isInGap(sighting: SightedObject, sightings: readonly SightedObject[]): boolean {
  const next = sightings.findIndex(({ index }) => index >= sighting.index);
  const [before, after] = [sightings[next - 1], sightings[next]];
  if (before === undefined || after === undefined || after.index === sighting.index) return false;
  return overlap(before, sighting) >= SAME_THING && overlap(after, sighting) >= SAME_THING;
}
