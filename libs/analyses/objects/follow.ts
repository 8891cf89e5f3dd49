import { elementAt } from '@adit/contracts';
import { Tracker, type Followed, type Sighted } from '../tracking/track.js';
import type { DetectedObject } from './detect.js';

/** An object in one sampled frame. */
export type SightedObject = DetectedObject & Sighted;

/** An object followed through a unit. */
export interface FollowedObject {
  label: string;
  sightings: SightedObject[];
}

/** Follows objects from sample to sample, those of each label apart: a dog never goes on as a cat. */
export class ObjectFollower {
  private readonly trackers = new Map<string, Tracker<SightedObject>>();

  /** All objects of one sampled frame; `afterCut`: it belongs to another shot than the one before. */
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

  /** Every track, in the order of first sight, then of label and place. */
  finish(): FollowedObject[] {
    const tracks = [...this.trackers].flatMap(([label, tracker]) =>
      tracker.finish().map(({ sightings }: Followed<SightedObject>) => ({ label, sightings })),
    );
    return tracks.sort((a, b) => {
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
