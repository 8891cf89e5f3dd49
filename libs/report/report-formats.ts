import type { FileFormat, JobResultsExport } from '@adit/contracts';
import { CSV } from '@adit/csv';
import { ZIP } from '@adit/ooxml';
import { RESULTS_JSON } from './results-json.js';
import { XLSX } from './xlsx.js';

/** Forms in which results leave, by the name that clients ask for. Each is described beside its writer. */
export const RESULT_FORMATS: { [Name in JobResultsExport['format']]: FileFormat<Name> } = {
  json: RESULTS_JSON,
  csv: CSV,
  xlsx: XLSX,
  zip: ZIP,
};
