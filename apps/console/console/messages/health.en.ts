import type { DiskKind, HealthProblemCode } from '@adit/client';
import { count, params } from '@nanostores/i18n';
import { i18n } from './i18n.js';

/** Of the page of health, and fetched with it. */
export const healthText = i18n('health', {
  title: 'Health',
  loading: 'Loading …',
  cannotSee: 'How the service does is shown to keys of the role admin or owner.',
  fine: 'Nothing is known to be wrong.',
  problems: 'What to do',
  looked: params('Looked at {time}'),
  again: 'Look again',
  needs: 'What it needs',
  name: 'Name',
  state: 'State',
  took: 'Answered after',
  answers: 'answers',
  away: 'cannot be used',
  runs: 'What runs',
  service: 'Service',
  version: 'Release',
  processes: 'Processes',
  noService: 'No process announces itself.',
  workspace: 'This workspace',
  jobsWaiting: 'Jobs that wait',
  jobsProcessing: 'Jobs that run',
  streamsReading: 'Streams that are read',
  streamsWaiting: 'Streams that wait',
  webhooksDisabled: 'Webhooks that Adit switched off',
  storage: 'Storage',
  storageOf: params('{used} of {limit}'),
  ownersOnly: 'Queues, models and disks are of all workspaces: keys of the role owner see them.',
  slots: 'Analyses at once',
  queues: 'Queues',
  group: 'Read by',
  topic: 'Topic',
  messages: 'Messages',
  noQueues: 'Nothing waits.',
  unknownQueues: 'The message bus does not answer.',
  tasks: 'Tasks',
  task: 'Kind',
  waiting: 'Wait',
  running: 'Run',
  noTasks: 'None is open.',
  models: 'Models in memory',
  model: 'Model',
  versions: count({ one: '1 version', other: '{count} versions' }),
  provider: 'Runs on',
  memory: 'Weights',
  noModels:
    'The process that answers has none in memory. Where inference runs in processes of its own, their metrics tell.',
  disk: 'Disk',
  free: params('{free} of {size} are free'),
  takes: 'What takes the space',
  size: 'Size',
  unmeasured: 'Not measured yet.',
});

/** What is wrong, and what to do. */
export const problemText = i18n('healthProblems', {
  dependency_away: params('“{about}” cannot be used. Work that needs it waits, and goes on when it answers again.'),
  service_missing: params(
    'The service “{about}” shows no sign of life: its work waits, nothing is lost. Start it; its log says why it ended.',
  ),
  builds_mixed: params('Several releases run: {about}. That is right while you upgrade; else replace the older ones.'),
  quota_fills: params(
    'This workspace has used {about} of its storage. At 100 % uploads are refused and recordings pause: delete files, or ask for more.',
  ),
  disk_fills: params(
    'Only {about} of the disk is free. Make room, or let retention delete more: when it is full, jobs wait.',
  ),
  queue_behind: params('“{about}” does not keep up. Start more processes of it, or see what slows them down.'),
  streams_wait: params(
    'Streams that wait for a recorder: {about}. Start more recorders, or raise ADIT_STREAMS_PER_RECORDER.',
  ),
  webhooks_disabled: params(
    'Webhooks that Adit switched off: {about}. Mend their receivers, then switch them on again.',
  ),
  gpu_not_used: params(
    'Models could not be loaded on the GPU ({about}) and run far slower. The log and “adit doctor” have the reason.',
  ),
} satisfies Record<HealthProblemCode, unknown>);

export const diskText = i18n('healthDisk', {
  uploads: 'Uploaded files',
  jobs: 'Files and pictures of jobs',
  cache: 'What is known of media',
  models: 'Models',
  other: 'Everything else',
  database: 'Database',
  work: 'Sources that are being mined',
} satisfies Record<DiskKind, string>);
