import type { Findable, FindableSegment } from '@adit/module-kit';
import { z } from 'zod';

const Coordinate = z.union([z.number(), z.string().min(1)]).pipe(z.coerce.number());
const Meta = z.object({
  landmark: z.object({
    name: z.string(),
    type: z.unknown(),
    location: z.array(z.string()).catch([]),
    latitude: Coordinate.nullable().catch(null),
    longitude: Coordinate.nullable().catch(null),
  }),
});

/** Its name, what kind of place it is, and what it lies in; with its coordinates where they are known. */
export function findableLandmark({ label, meta }: FindableSegment): Findable {
  const landmark = Meta.safeParse(meta).data?.landmark;
  if (landmark === undefined) return { texts: [{ field: 'where', text: label }] };
  const { name, type, location, latitude, longitude } = landmark;
  const kinds = [type].flat().filter((kind) => typeof kind === 'string');
  const isOnEarth = latitude !== null && longitude !== null && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return {
    texts: [{ field: 'where', text: [name, ...kinds, ...location].join(', ') }],
    place: isOnEarth ? { latitude, longitude } : null,
  };
}
