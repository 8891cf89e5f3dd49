import type { SegmentFormat } from '@adit/contracts';
import type { EditFormat } from './edit-format.js';
import { avidMarkers } from './formats/avid-markers.js';
import { csv } from './formats/csv.js';
import { edl } from './formats/edl.js';
import { fcp7xml } from './formats/fcp7-xml.js';
import { fcpxml } from './formats/fcpxml.js';
import { otio } from './formats/otio.js';
import { resolveEdl } from './formats/resolve-edl.js';
import { vtt } from './formats/vtt.js';

/** By the name that clients ask for. */
export const EDIT_FORMATS: { [Name in SegmentFormat]: EditFormat<Name> } = {
  otio,
  edl,
  fcp7xml,
  fcpxml,
  avid_markers: avidMarkers,
  resolve_edl: resolveEdl,
  vtt,
  csv,
};
