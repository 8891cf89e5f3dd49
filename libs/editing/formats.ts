import type { SegmentFormat } from '@adit/contracts';
import type { EditFormat } from './edit-format.js';
import { ale } from './formats/ale.js';
import { avidMarkers } from './formats/avid-markers.js';
import { csv } from './formats/csv.js';
import { edl } from './formats/edl.js';
import { fcp7xml } from './formats/fcp7-xml.js';
import { fcpxml } from './formats/fcpxml.js';
import { otio } from './formats/otio.js';
import { resolveEdl } from './formats/resolve-edl.js';
import { stl } from './formats/stl.js';
import { vtt } from './formats/vtt.js';

/** By the name that clients ask for. */
export const EDIT_FORMATS: { [Name in SegmentFormat]: EditFormat<Name> } = {
  otio,
  edl,
  fcp7xml,
  fcpxml,
  ale,
  avid_markers: avidMarkers,
  resolve_edl: resolveEdl,
  stl,
  vtt,
  csv,
};
