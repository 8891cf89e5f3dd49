import type {
  TranscriptEntity,
  TranscriptParagraphEntity,
  TranscriptVariantEntity,
  TranscriptVersionEntity,
} from '@adit/database';
import { raiseResourceEvent } from '@adit/webhooks';
import type { EntityManager } from 'typeorm';
import { presentAlone, presentVariant, presentVersion } from './present-transcript.js';

type Place = Pick<TranscriptEntity, 'id' | 'workspaceId'>;

/** Tells of a version, and of the paragraphs whose text it changed, if the caller's transaction commits. */
export async function raiseVersionEvents(
  manager: EntityManager,
  { id: transcriptId, workspaceId }: Place,
  variant: TranscriptVariantEntity,
  version: TranscriptVersionEntity,
  changed: Omit<TranscriptParagraphEntity, 'words'>[] = [],
): Promise<void> {
  const place = { transcript_id: transcriptId, variant_id: variant.id };
  const raise = (event: Parameters<typeof raiseResourceEvent>[1], data: Record<string, unknown>) =>
    raiseResourceEvent(manager, event, { id: transcriptId, workspaceId, data });
  await raise('svc.transcript.variant.version.on_created', {
    version: { ...presentVersion(version), ...place, variant: presentVariant(variant) },
  });
  for (const paragraph of changed) {
    await raise('svc.transcript.variant.version.paragraph.on_updated', {
      paragraph: { ...presentAlone(paragraph), ...place, version_id: version.id, version: version.version },
    });
  }
}
