import type { Readable } from 'node:stream';
import { TranscriptExport } from '@adit/contracts';
import type { ExportEntity } from '@adit/database';
import type { TranscriptReader } from '@adit/transcript-store';
import { TRANSCRIPT_FORMATS } from '@adit/transcripts';

/** A file of an export while it is written. */
export interface ExportedFile {
  filename: string;
  mimeType: string;
  content: Readable;
  /** What could not be done as it was asked for. */
  notes?: string[];
  /** Called when the export has been completed with it. */
  onCompleted?: () => Promise<void>;
}

/**
 * Streams one version of a transcript in one format. `progress`, 0..1, is called after each page. Throws NOT_FOUND
 * when it was deleted.
 */
export async function transcriptFile(
  reader: TranscriptReader,
  { workspaceId, config }: Pick<ExportEntity, 'workspaceId' | 'config'>,
  progress: (share: number) => Promise<void>,
): Promise<ExportedFile> {
  const wanted = TranscriptExport.parse(config);
  const { format, underline_words: underlineWords } = wanted;
  const place = await reader.version(workspaceId, wanted.transcript_id, wanted.variant_id, wanted.version);
  const { extension, mimeType, write } = TRANSCRIPT_FORMATS[format];
  const { language } = place.variant;
  const { paragraphs: total, version } = place.version;
  const paragraphs = reader.spoken(place, (read) => progress(read / Math.max(1, total)));
  return {
    filename: `transcript-${place.transcript.id}-${language ?? 'und'}-v${version}.${extension}`,
    mimeType,
    content: write({ language, paragraphs }, { underlineWords }),
  };
}
