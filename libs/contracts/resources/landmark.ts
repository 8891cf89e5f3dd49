import { z } from 'zod';

/** Place and kind of a landmark; null if nobody said. Degrees are texts, as the interface has them. */
export const Landmark = z.strictObject({
  type: z.array(z.string()).nullable(),
  latitude: z.string().nullable(),
  longitude: z.string().nullable(),
  /** From the smallest to the largest: town, region, country. */
  location: z.array(z.string()),
});
export type Landmark = z.infer<typeof Landmark>;

/** Text fields of a landmark, '' for an empty one. */
export interface LandmarkText {
  type: string;
  latitude: string;
  longitude: string;
  location: string;
}

/** A sentence about what is wrong with where a landmark is said to be; null when nothing is. */
export function landmarkProblem(text: LandmarkText): string | null {
  const limits = { latitude: 90, longitude: 180 };
  for (const column of ['latitude', 'longitude'] as const) {
    const [degrees, limit] = [text[column], limits[column]];
    if (degrees === '') continue;
    const isDegrees = /^[+-]?\d+(\.\d+)?$/.test(degrees) && Math.abs(Number(degrees)) <= limit;
    if (!isDegrees) return `${column} ${JSON.stringify(degrees)} is no number of degrees from -${limit} to ${limit}.`;
  }
  return (text.latitude === '') === (text.longitude === '') ? null : 'latitude and longitude belong together.';
}

/** `type` and `location` are lists, split at `|`, else at `;` and `,`. */
export function landmarkOf({ type, latitude, longitude, location }: LandmarkText): Landmark {
  const types = listOf(type);
  return {
    type: types.length === 0 ? null : types,
    latitude: latitude || null,
    longitude: longitude || null,
    location: listOf(location),
  };
}

function listOf(text: string): string[] {
  return text
    .split(text.includes('|') ? '|' : /[;,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
