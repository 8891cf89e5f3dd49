/** A job that the scheduler could give work to. */
export interface Candidate {
  jobId: string;
  workspaceId: string;
  /** 9 − priority: lower goes first. */
  rank: number;
  timeCreated: Date;
  /** Already admitted, so it does not count as a new active job. */
  admitted: boolean;
  /** Units of work it could take now: free slots, or 1 to be opened. */
  wants: number;
  inFlight: number;
}

export interface WorkspaceShare {
  weight: number;
  inFlight: number;
  activeJobs: number;
}

/**
 * Assigns free slots one by one: to the workspace with the least in flight for its weight, there to the job with the
 * best rank, then the least in flight, then the oldest. So a long film and a single photo, or a thousand jobs of one
 * workspace and one of another, share the machines (weighted round robin by deficit). One extra slot is for a
 * workspace that has nothing in flight: it need not wait until work of others ends.
 *
 * @param freeSlots −1 when that extra slot is taken too.
 * @returns job ids, once for each slot given.
 */
export function shareSlots(
  candidates: Candidate[],
  workspaces: Map<string, WorkspaceShare>,
  freeSlots: number,
  activeJobsPerWorkspace: number,
): string[] {
  const shares = new Map([...workspaces].map(([id, share]) => [id, { ...share }]));
  const jobs = candidates.map((candidate) => {
    const share = shares.get(candidate.workspaceId);
    if (!share) throw new RangeError(`The workspace ${candidate.workspaceId} of a candidate is unknown.`);
    return { ...candidate, share };
  });
  const given: string[] = [];
  while (given.length <= freeSlots) {
    const isExtra = given.length === freeSlots;
    const eligible = jobs.filter((job) => {
      const { inFlight, activeJobs } = job.share;
      return job.wants > 0 && (job.admitted || activeJobs < activeJobsPerWorkspace) && !(isExtra && inFlight > 0);
    });
    if (eligible.length === 0) break;
    const next = eligible.reduce((best, job) => (before(job, best) ? job : best));
    if (!next.admitted) next.share.activeJobs++;
    next.share.inFlight++;
    next.admitted = true;
    next.inFlight++;
    next.wants--;
    given.push(next.jobId);
  }
  return given;
}

type Sharing = Candidate & { share: WorkspaceShare };

function load({ share }: Sharing): number {
  return share.inFlight / share.weight;
}

function before(a: Sharing, b: Sharing): boolean {
  const order =
    load(a) - load(b) ||
    a.workspaceId.localeCompare(b.workspaceId) ||
    a.rank - b.rank ||
    a.inFlight - b.inFlight ||
    a.timeCreated.getTime() - b.timeCreated.getTime() ||
    a.jobId.localeCompare(b.jobId);
  return order < 0;
}
