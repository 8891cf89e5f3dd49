import { Day, Usage, USAGE_GROUPS, type UsageGroup } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';

const day = Day.optional();
/** Of a month that 25 hours of media may be analysed in. */
export const exampleQuota = {
  quota: 'media_seconds_per_month' as const,
  ...{ limit: 90_000, used: 86_400, left: 3_600, time_reset: '2026-12-01T00:00:00.000000Z' },
};
const GROUP = `(${USAGE_GROUPS.join('|')})`;

export const getUsage = defineRoute({
  method: 'GET',
  path: '/v1/usage/',
  summary: 'What analyses took, by day, module and key',
  description:
    'Seconds of media, of analyses and of models, CPU and GPU apart, counted once with the outcome of each chunk; attempts that failed ' +
    'and what the cache answered are not in it. `quotas` say what is left of what the workspace may use. A workspace sees its own; a key ' +
    'with the role owner may ask for all. `format=csv`, or ' +
    '`Accept: text/csv`, answers the rows as CSV.',
  tag: 'Usage',
  query: z.object({
    from: day.describe('First day in UTC, such as 2026-11-01; default: 30 days before `to`'),
    to: day.describe('Last day in UTC, included; default: today. At most 400 days are answered at once'),
    group_by: z
      .string()
      .regex(
        new RegExp(`^${GROUP}(,${GROUP})*$`),
        `one or more of ${USAGE_GROUPS.join(', ')}, with commas between them`,
      )
      .default('day')
      .describe('What rows are sums of: `workspace`, `day`, `module`, `key`, with commas between them; default `day`'),
    workspaces: z.enum(['own', 'all']).default('own').describe('`all` is for keys with the role owner; default `own`'),
    format: z.enum(['json', 'csv']).optional().describe('Form of the reply; default: as `Accept` says, else JSON'),
  }),
  reply: Usage,
  example: {
    reply: {
      from: '2026-11-01',
      to: '2026-11-30',
      rows: [
        {
          workspace_id: null,
          day: '2026-11-21',
          module: null,
          key: null,
          media_seconds: 5400,
          chunk_seconds: 812.4,
          cpu_model_seconds: 640.2,
          gpu_model_seconds: 0,
        },
      ],
      bytes: { uploads: 734003200, transcripts: 20480, recordings: 0 },
      quotas: [exampleQuota],
    },
  },
});

/** The groups of a validated `group_by`, each once, in a fixed order. */
export function groupsIn(text: string): UsageGroup[] {
  const asked = text.split(',');
  return USAGE_GROUPS.filter((group) => asked.includes(group));
}
