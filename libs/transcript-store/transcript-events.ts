import type {
  TranscriptEntity,
  TranscriptParagraphEntity,
  TranscriptVariantEntity,
  TranscriptVersionEntity,
} from '@adit/database';
import { raiseResourceEvents } from '@adit/webhooks';
import type { EntityManager } from 'typeorm';
import { presentAlone, presentVariant, presentVersion } from './present-transcript.js';

type Place = Pick<TranscriptEntity, 'id' | 'workspaceId' | 'jobId'>;

/** Tells of a version, and of the paragraphs whose text it changed, if the caller's transaction commits. */
export async function raiseVersionEvents(
  manager: EntityManager,
  transcript: Place,
  variant: TranscriptVariantEntity,
  version: TranscriptVersionEntity,
  changed: Omit<TranscriptParagraphEntity, 'words'>[] = [],
): Promise<void> {
  const place = { transcript_id: transcript.id, variant_id: variant.id };
  await raiseResourceEvents(manager, transcript, [
    {
      event: 'svc.transcript.variant.version.on_created',
      data: { version: { ...presentVersion(version), ...place, variant: presentVariant(variant) } },
    },
    ...changed.map((paragraph) => ({
      event: 'svc.transcript.variant.version.paragraph.on_updated' as const,
      data: {
        paragraph: { ...presentAlone(paragraph), ...place, version_id: version.id, version: version.version },
      },
    })),
  ]);
}
