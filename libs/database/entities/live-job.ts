import { ACTIVE_JOB_STATES } from '@adit/contracts';
import { In, IsNull, type FindOptionsWhere } from 'typeorm';
import type { JobEntity } from './job.js';

/** SQL: the job or module under the alias has not ended. */
export function isActive(alias: string): string {
  return `${alias}.state IN (${ACTIVE_JOB_STATES.map((state) => `'${state}'`).join(', ')})`;
}

/** SQL: the job under the alias is live: it has not ended and is not deleted. Work for any other is dropped. */
export function isLive(alias: string): string {
  return `${isActive(alias)} AND ${alias}.time_deleted IS NULL`;
}

/** Condition of live jobs for `find`. */
export const LIVE_JOB: FindOptionsWhere<JobEntity> = { state: In([...ACTIVE_JOB_STATES]), timeDeleted: IsNull() };
