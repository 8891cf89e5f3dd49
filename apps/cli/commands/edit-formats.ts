import type { SegmentFormat } from '@adit/contracts';

/** Formats for editing programs. They stand here too, so that `--help` loads nothing else. */
export const EDIT_FORMATS = [
  'edl',
  'otio',
  'fcp7xml',
  'fcpxml',
  'ale',
  'avid_markers',
  'resolve_edl',
  'stl',
  'vtt',
  'csv',
] as const satisfies readonly SegmentFormat[];
