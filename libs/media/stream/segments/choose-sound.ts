import { languageCode } from '@adit/contracts';

/** Sound that a stream offers apart from its pictures. */
export interface SoundOffer {
  /** As the stream states it; null where it does not. */
  language: string | null;
  isDefault: boolean;
}

/**
 * Chooses the sound that is heard: the one that is asked for, by its number or language, else the default one, else the
 * first. Null where there is none of that kind; all at once are not heard.
 */
export function chooseSound<T extends SoundOffer>(offers: readonly T[], track: string | undefined): T | null {
  if (track === undefined) return offers.find(({ isDefault }) => isDefault) ?? offers[0] ?? null;
  if (/^\d+$/.test(track)) return offers[Number(track)] ?? null;
  if (track === 'all') return offers.length === 1 ? (offers[0] ?? null) : null;
  const wanted = languageCode(track);
  return offers.find(({ language }) => language !== null && languageCode(language) === wanted) ?? null;
}
