import { z } from 'zod';
import { IsoTime } from '../values/time.js';

/** What may be wrong with an installation, as far as one can tell by asking once. */
export const HEALTH_PROBLEMS = [
  'dependency_away',
  'service_missing',
  'builds_mixed',
  'quota_fills',
  'disk_fills',
  'queue_behind',
  'streams_wait',
  'webhooks_disabled',
  'gpu_not_used',
] as const;
export const HealthProblemCode = z.enum(HEALTH_PROBLEMS);
export type HealthProblemCode = z.infer<typeof HealthProblemCode>;

export const HealthProblem = z
  .strictObject({
    code: HealthProblemCode.describe('What kind of problem it is'),
    about: z.string().describe('What it is about, such as a dependency or a service; may be empty'),
    message: z.string().describe('What it is and what to do about it, as text for people'),
  })
  .meta({ id: 'HealthProblem' });
export type HealthProblem = z.infer<typeof HealthProblem>;

const count = (what: string) => z.int().nonnegative().describe(what);

/** Of all workspaces together. */
export const InstallationLoad = z
  .strictObject({
    slots: count('Units of analysis that its workers do at once'),
    queues: z
      .array(
        z
          .strictObject({
            group: z.string().describe('Service that reads them'),
            topic: z.string().describe('Topic of the messages'),
            messages: count('Messages that were accepted and not yet handled'),
          })
          .meta({ id: 'QueueLag' }),
      )
      .nullable()
      .describe('Queues with messages, the longest first; null while the message bus does not answer'),
    tasks: z
      .array(
        z
          .strictObject({
            task: z.string().describe('Kind of the tasks'),
            waiting: count('Tasks that somebody could begin now'),
            running: count('Tasks that are worked on'),
          })
          .meta({ id: 'OpenTasks' }),
      )
      .describe('Exports, reports, trainings and the like that are open, by kind'),
    streams: z
      .strictObject({
        reading: count('Live streams that recorders read'),
        waiting: count('Live streams that wait for a recorder, or for others of their workspace to end'),
        longest_wait: z.number().nonnegative().describe('Seconds that one of `waiting` has waited, at most'),
      })
      .meta({ id: 'StreamLoad' })
      .describe('Live streams'),
    models: z
      .array(
        z
          .strictObject({
            model: z.string().describe('Name of the model'),
            versions: count('Its versions in memory'),
            bytes: count('Bytes of their weights in memory'),
            provider: z
              .string()
              .nullable()
              .describe('Execution provider, such as `cpu` or `cuda`; null where not known'),
          })
          .meta({ id: 'LoadedModel' }),
      )
      .describe(
        'Models in the memory of the process that answers: all where one process does everything, none where inference runs in ' +
          'processes of its own, whose metric adit_model_loaded tells',
      ),
    disk: z
      .strictObject({
        size: count('Bytes of the disk'),
        free: count('Bytes that are free'),
      })
      .meta({ id: 'DiskRoom' })
      .nullable()
      .describe('The disk with the data folder of the process that answers; null where that is not known'),
  })
  .meta({ id: 'InstallationLoad' });
export type InstallationLoad = z.infer<typeof InstallationLoad>;

/** What runs and what lags, at this moment. */
export const InstallationHealth = z
  .strictObject({
    time: IsoTime.describe('When it was looked at'),
    problems: z.array(HealthProblem).describe('What is wrong, and what to do; empty where nothing is known to be'),
    dependencies: z
      .array(
        z
          .strictObject({
            name: z.string().describe('Name of the dependency'),
            ok: z.boolean().describe('Whether it can be used'),
            reason: z.string().nullable().describe('Why it cannot be used; null where it can'),
            duration: z.number().nonnegative().describe('Seconds that it took to answer'),
          })
          .meta({ id: 'Dependency' }),
      )
      .describe('What the process that answers needs, as in /readyz'),
    services: z
      .array(
        z
          .strictObject({
            service: z.string().describe('Name of the service; `standalone` does the work of all'),
            version: z.string().describe('Its release'),
            processes: z.int().positive().describe('Processes that showed a sign of life within the last minute'),
          })
          .meta({ id: 'RunningService' }),
      )
      .describe('What runs'),
    workspace: z
      .strictObject({
        jobs_waiting: count('Jobs that wait'),
        jobs_processing: count('Jobs that run'),
        streams_waiting: count('Live streams that wait for a recorder'),
        streams_reading: count('Live streams that are read'),
        webhooks_disabled: count('Webhooks that Adit has disabled'),
        storage_used: count('Bytes that its files, transcripts and recordings have'),
        storage_bytes: z.int().positive().nullable().describe('Bytes that they may have; null: no limit'),
      })
      .meta({ id: 'WorkspaceLoad' })
      .describe('The workspace of the key'),
    installation: InstallationLoad.nullable().describe(
      'All workspaces together; null for keys of another role than owner',
    ),
  })
  .meta({ id: 'InstallationHealth' });
export type InstallationHealth = z.infer<typeof InstallationHealth>;
