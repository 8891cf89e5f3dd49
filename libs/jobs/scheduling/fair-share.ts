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

/** Number of jobs of a workspace that may be active, and whether more may be while these leave slots free. */
export interface Admission {
  activeJobs: number;
  admitsBeyond: boolean;
}

/**
 * Assigns free slots one by one: to the workspace with the least in flight for its weight, there to the job with the
 * best rank, then the least in flight, then the oldest. So a long film and a single photo, or a thousand jobs of one
 * workspace and one of another, share the machines (weighted round robin by deficit). One extra slot is for a
 * workspace that has nothing in flight: it need not wait until work of others ends.
 *
 * It costs by slots and candidates, each by the logarithm of their number.
 *
 * @param freeSlots −1 when that extra slot is taken too.
 * @returns job ids, once for each slot given.
 */
export function shareSlots(
  candidates: Candidate[],
  workspaces: Map<string, WorkspaceShare>,
  freeSlots: number,
  admission: Admission,
): string[] {
  const queue = sharesOf(candidates, workspaces, admission).filter((share) => share.next !== undefined);
  queue.sort(byLoad);
  const given: string[] = [];
  while (given.length <= freeSlots) {
    const share = queue.shift();
    // The first one has the least: without an extra slot for it, nobody else gets one either.
    if (share === undefined || (given.length === freeSlots && share.inFlight > 0)) break;
    given.push(share.give());
    if (share.next !== undefined) insert(queue, share, byLoad);
  }
  return given;
}

function sharesOf(
  candidates: Candidate[],
  workspaces: Map<string, WorkspaceShare>,
  admission: Admission,
): SharingWorkspace[] {
  const shares = new Map<string, SharingWorkspace>();
  for (const candidate of candidates) {
    const { workspaceId } = candidate;
    let share = shares.get(workspaceId);
    if (share === undefined) {
      const now = workspaces.get(workspaceId);
      if (now === undefined) throw new RangeError(`The workspace ${workspaceId} of a candidate is unknown.`);
      share = new SharingWorkspace(workspaceId, now, admission);
      shares.set(workspaceId, share);
    }
    share.add(candidate);
  }
  return [...shares.values()].map((share) => share.sorted());
}

class SharingWorkspace {
  private readonly admitted: Candidate[] = [];
  private readonly waiting: Candidate[] = [];
  private readonly weight: number;
  private activeJobs: number;
  inFlight: number;

  constructor(
    readonly id: string,
    now: WorkspaceShare,
    private readonly admission: Admission,
  ) {
    ({ weight: this.weight, inFlight: this.inFlight, activeJobs: this.activeJobs } = now);
  }

  get load(): number {
    return this.inFlight / this.weight;
  }

  /** The job that gets its next slot. */
  get next(): Candidate | undefined {
    const [job] = this.admitted;
    const [newJob] = this.waiting;
    const { activeJobs, admitsBeyond } = this.admission;
    if (newJob === undefined || !(this.activeJobs < activeJobs || (admitsBeyond && job === undefined))) return job;
    return job === undefined || byOrder(newJob, job) < 0 ? newJob : job;
  }

  add(candidate: Candidate): void {
    if (candidate.wants > 0) (candidate.admitted ? this.admitted : this.waiting).push({ ...candidate });
  }

  sorted(): this {
    this.admitted.sort(byOrder);
    this.waiting.sort(byOrder);
    return this;
  }

  /** Gives the slot, and returns the id of the job. */
  give(): string {
    const job = this.next;
    if (job === undefined) throw new RangeError(`The workspace ${this.id} has no job for a slot.`);
    (job.admitted ? this.admitted : this.waiting).shift();
    if (!job.admitted) this.activeJobs++;
    this.inFlight++;
    job.admitted = true;
    job.inFlight++;
    job.wants--;
    if (job.wants > 0) insert(this.admitted, job, byOrder);
    return job.jobId;
  }
}

/** Inserts into a sorted list. Moving a few thousand references costs less than the comparisons of a heap. */
function insert<T>(sorted: T[], item: T, order: (a: T, b: T) => number): void {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const there = sorted[middle];
    if (there !== undefined && order(there, item) < 0) from = middle + 1;
    else to = middle;
  }
  sorted.splice(from, 0, item);
}

function byLoad(a: SharingWorkspace, b: SharingWorkspace): number {
  return a.load - b.load || byText(a.id, b.id);
}

function byOrder(a: Candidate, b: Candidate): number {
  return (
    a.rank - b.rank ||
    a.inFlight - b.inFlight ||
    a.timeCreated.getTime() - b.timeCreated.getTime() ||
    byText(a.jobId, b.jobId)
  );
}

/** Ids: their order only has to be the same each time. */
function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
