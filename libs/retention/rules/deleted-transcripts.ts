import { TranscriptErasures } from '@adit/transcript-store';
import { BATCH_SIZE, rowRule } from '../rule.js';

export const deletedTranscripts = rowRule<{ id: string }>({
  kind: 'transcripts',
  find: ({ db }) => new TranscriptErasures(db).left(BATCH_SIZE),
  remove: ({ id }, { db, shouldContinue }) => new TranscriptErasures(db).erase(id, shouldContinue),
});

export const deletedVariants = rowRule<{ id: string }>({
  kind: 'transcript_variants',
  find: ({ db }) => new TranscriptErasures(db).leftVariants(BATCH_SIZE),
  remove: ({ id }, { db, shouldContinue }) => new TranscriptErasures(db).eraseVariant(id, shouldContinue),
});
