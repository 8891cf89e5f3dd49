import type { FileFormat, SegmentFormat } from '@adit/contracts';
import type { EditList } from './edit-list.js';

/** A form in which events leave for another program: one file of `formats` each. */
export interface EditFormat<Name extends SegmentFormat = SegmentFormat> extends FileFormat<Name> {
  /**
   * Puts the events one behind the other, leaves them where they are, on the timeline of the one source of the list, or lists them
   * with the source of each.
   */
  layout: 'put together' | 'in place' | 'listed';
  /** Tells whether it can hold sources of other rates than its own. */
  mixesRates: boolean;
  /** True if a list without a source cannot be written. */
  needsSource: boolean;
  /** Number of times that the events are read. */
  passes: number;
  write: (list: EditList) => AsyncIterable<string | Buffer>;
}
