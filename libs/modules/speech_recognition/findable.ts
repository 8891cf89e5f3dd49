import type { Findable, FindableSegment, FindableText } from '@adit/module-kit';
import { z } from 'zod';

const Meta = z.object({
  text: z.string(),
  language: z.string().nullable().catch(null),
  speaker: z.string().nullable().catch(null),
});

/** What was said, and by whom. Silence is never found. */
export function findableSpeech({ meta }: FindableSegment): Findable {
  const said = Meta.safeParse(meta).data;
  if (said === undefined) return { texts: [] };
  const { text, language, speaker } = said;
  const texts: FindableText[] = [{ field: 'said', text, language }];
  if (speaker !== null) texts.push({ field: 'who', text: speaker });
  return { texts };
}
