import { gauge, type Collect } from './prometheus.js';

export const buildInfo = () => gauge('adit_build_info', 'What runs here; always 1.', ['version', 'service', 'node']);

export const certificateEnds = (collect: Collect<'setting'>) =>
  gauge(
    'adit_certificate_expires_timestamp_seconds',
    'When a certificate in the file that the setting names ends, in seconds since 1970; of several the first to end',
    ['setting'],
    collect,
  );

export const dataDisk = (collect: Collect<'state'>) =>
  gauge(
    'adit_data_disk_bytes',
    'The disk that ADIT_DATA_DIR lies on: its size, and what of it this process may still write',
    ['state'],
    collect,
  );
