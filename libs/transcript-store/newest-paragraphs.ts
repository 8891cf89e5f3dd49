import { TranscriptEntity, TranscriptParagraphEntity, TranscriptVariantEntity } from '@adit/database';
import { In, IsNull, type EntityManager } from 'typeorm';

/** A paragraph as it has been since a version. */
export interface ParagraphKey {
  variantId: string;
  id: string;
  fromVersion: number;
}

export interface NewestParagraph {
  paragraph: TranscriptParagraphEntity;
  variant: TranscriptVariantEntity;
}

/** Returns those of the paragraphs that newest versions still have as they were, in no particular order. */
export async function newestParagraphs(
  manager: EntityManager,
  asked: readonly ParagraphKey[],
): Promise<NewestParagraph[]> {
  if (asked.length === 0) return [];
  const variantIds = [...new Set(asked.map(({ variantId }) => variantId))];
  const variants = await manager.findBy(TranscriptVariantEntity, { id: In(variantIds), timeDeleted: IsNull() });
  const transcripts = await manager.findBy(TranscriptEntity, {
    id: In(variants.map(({ transcriptId }) => transcriptId)),
    timeDeleted: IsNull(),
  });
  const there = new Set(transcripts.map(({ id }) => id));
  const byId = new Map(variants.flatMap((each) => (there.has(each.transcriptId) ? [[each.id, each]] : [])));
  const rows = await manager.findBy(TranscriptParagraphEntity, {
    variantId: In(variantIds),
    id: In(asked.map(({ id }) => id)),
    toVersion: IsNull(),
  });
  const keys = new Set(asked.map(keyOf));
  return rows.flatMap((paragraph) => {
    const variant = byId.get(paragraph.variantId);
    return variant === undefined || !keys.has(keyOf(paragraph)) ? [] : [{ paragraph, variant }];
  });
}

function keyOf({ variantId, id, fromVersion }: ParagraphKey): string {
  return `${variantId} ${id} ${fromVersion}`;
}
