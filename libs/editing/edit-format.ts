import type { FileFormat, SegmentFormat } from '@adit/contracts';
import type { EditList } from './edit-list.js';

/** A form in which events leave for another program: one file of `formats` each. */
export interface EditFormat<Name extends SegmentFormat = SegmentFormat> extends FileFormat<Name> {
  /** Puts the events one behind the other, or leaves them where they are: on the timeline of the one source of the list. */
  layout: 'put together' | 'in place';
  /** Tells whether it can hold sources of other rates than its own. */
  mixesRates: boolean;
  /** Whether nothing can be written without a source. */
  needsSource: boolean;
  /** Number of times that the events are read. */
  passes: number;
  write: (list: EditList) => AsyncIterable<string | Buffer>;
}
