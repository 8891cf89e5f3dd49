/** Fields that results are searched by: people, things, speech, writing, places. */
export type FindableField = 'who' | 'what' | 'said' | 'written' | 'where';

/** A text of a segment that can be searched. */
export interface FindableText {
  field: FindableField;
  text: string;
  /** Code such as `de`; words are also found in other inflections then. Null where it is none, as of names. */
  language?: string | null;
}

/** A segment as it is shown: `label` is the name of its identity where it has one. */
export interface FindableSegment {
  type: string;
  label: string;
  meta: Record<string, unknown>;
}

/** What a module says can be searched of a segment. */
export interface Findable {
  /** One text for each field at the most; without any the segment is never found. */
  texts: FindableText[];
  /** Degrees. */
  place?: { latitude: number; longitude: number } | null;
}

/** Texts of a module that says nothing: its label, as a thing. */
export function findableOf(
  module: { findable?(segment: FindableSegment): Findable } | null | undefined,
  segment: FindableSegment,
): Findable {
  const found = module?.findable?.(segment) ?? { texts: [{ field: 'what' as const, text: segment.label }] };
  return { ...found, texts: found.texts.filter(({ text }) => text.trim() !== '') };
}
