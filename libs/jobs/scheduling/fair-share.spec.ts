import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shareSlots, type Admission, type Candidate, type WorkspaceShare } from './fair-share.js';
import { JobSettings } from './settings.js';
import { slotLimits } from './slot-limits.js';

function job(jobId: string, workspaceId: string, more: Partial<Candidate> = {}): Candidate {
  const timeCreated = new Date(0);
  return { jobId, workspaceId, rank: 4, timeCreated, admitted: true, wants: 4, inFlight: 0, ...more };
}

const EIGHT = { activeJobs: 8, admitsBeyond: false };

const shares = (entries: Record<string, Partial<WorkspaceShare>>): Map<string, WorkspaceShare> =>
  new Map(Object.entries(entries).map(([id, share]) => [id, { weight: 1, inFlight: 0, activeJobs: 1, ...share }]));

describe('shareSlots', () => {
  it('gives the next free slot to the workspace that has the least in flight', () => {
    const films = Array.from({ length: 20 }, (_, index) => job(`film-${index}`, 'busy'));
    const photo = job('photo', 'quiet', { wants: 1, admitted: false });
    const given = shareSlots(
      [...films, photo],
      shares({ busy: { inFlight: 7, activeJobs: 8 }, quiet: { activeJobs: 0 } }),
      1,
      EIGHT,
    );
    expect(given).toEqual(['photo']);
  });

  it('gives a workspace that has nothing in flight one extra slot', () => {
    const waiting = [job('film', 'busy'), job('photo', 'quiet', { wants: 3 }), job('other', 'late')];
    const now = shares({ busy: { inFlight: 8 }, quiet: {}, late: {} });
    expect(shareSlots(waiting, now, 0, EIGHT)).toEqual(['other']);
    expect(shareSlots(waiting, now, -1, EIGHT)).toEqual([]);
    expect(shareSlots([job('film', 'busy')], now, 0, EIGHT)).toEqual([]);
  });

  it('takes the better priority first, then the job with less in flight, then the older one', () => {
    const urgent = job('urgent', 'w', { rank: 0, inFlight: 3, wants: 1, timeCreated: new Date(3) });
    const film = job('film', 'w', { inFlight: 2, timeCreated: new Date(1) });
    const photo = job('photo', 'w', { inFlight: 0, wants: 1, timeCreated: new Date(2) });
    expect(shareSlots([film, photo, urgent], shares({ w: {} }), 3, EIGHT)).toEqual(['urgent', 'photo', 'film']);
  });

  it('shares by weight', () => {
    const given = shareSlots(
      [job('a', 'light', { wants: 100 }), job('b', 'heavy', { wants: 100 })],
      shares({ light: {}, heavy: { weight: 3 } }),
      8,
      EIGHT,
    );
    expect(given.filter((id) => id === 'b')).toHaveLength(6);
  });

  it('admits no more new jobs of a workspace than its limit', () => {
    const waiting = Array.from({ length: 5 }, (_, index) => job(`j${index}`, 'w', { admitted: false, wants: 1 }));
    expect(shareSlots(waiting, shares({ w: { activeJobs: 6 } }), 10, EIGHT)).toHaveLength(2);
  });

  it('gives what is wanted as far as slots are free, and one extra only to a workspace that has none', () => {
    const candidates = fc.array(
      fc.record({
        workspace: fc.constantFrom('a', 'b', 'c'),
        rank: fc.nat(9),
        wants: fc.nat(5),
        inFlight: fc.nat(5),
        admitted: fc.boolean(),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(candidates, fc.nat(20), (specs, free) => {
        const jobs = specs.map(({ workspace, ...more }, index) => job(`j${index}`, workspace, more));
        const given = shareSlots(jobs, shares({ a: {}, b: {}, c: {} }), free, { activeJobs: 100, admitsBeyond: false });
        const wanted = jobs.reduce((sum, each) => sum + each.wants, 0);
        expect(given.length).toBeGreaterThanOrEqual(Math.min(free, wanted));
        expect(given.length).toBeLessThanOrEqual(Math.min(free + 1, wanted));
        if (given.length > free) {
          const workspaceOf = new Map(jobs.map(({ jobId, workspaceId }) => [jobId, workspaceId]));
          const extra = workspaceOf.get(given.at(-1)!);
          expect(given.filter((id) => workspaceOf.get(id) === extra)).toHaveLength(1);
        }
        for (const each of jobs) {
          expect(given.filter((id) => id === each.jobId).length).toBeLessThanOrEqual(each.wants);
        }
      }),
    );
  });

  it('admits more new jobs where those that are active leave slots free', () => {
    const photos = Array.from({ length: 50 }, (_, index) => job(`j${index}`, 'w', { admitted: false, wants: 1 }));
    const beyond = { activeJobs: 8, admitsBeyond: true };
    expect(shareSlots(photos, shares({ w: { activeJobs: 0 } }), 40, beyond)).toHaveLength(40);
    const films = Array.from({ length: 8 }, (_, index) => job(`film-${index}`, 'w', { wants: 5, inFlight: 1 }));
    const given = shareSlots([...films, ...photos], shares({ w: { activeJobs: 8 } }), 39, beyond);
    expect(given.filter((id) => id.startsWith('j'))).toEqual([]);
    expect(shareSlots([...films, ...photos], shares({ w: { activeJobs: 8 } }), 45, beyond).slice(40)).toHaveLength(5);
  });

  it('assigns as the plain rule does, which looks at every job for every slot', () => {
    const specs = fc.array(
      fc.record({
        workspace: fc.constantFrom('a', 'b', 'c'),
        rank: fc.nat(3),
        wants: fc.nat(4),
        inFlight: fc.nat(3),
        admitted: fc.boolean(),
        at: fc.nat(2),
      }),
      { maxLength: 15 },
    );
    const admission = fc.record({ activeJobs: fc.integer({ min: 1, max: 5 }), admitsBeyond: fc.boolean() });
    fc.assert(
      fc.property(specs, fc.integer({ min: -1, max: 25 }), admission, (given, free, limits) => {
        const jobs = given.map(({ workspace, at, ...more }, index) =>
          job(`j${index}`, workspace, { ...more, timeCreated: new Date(at) }),
        );
        const now = shares({ a: { inFlight: 2 }, b: { weight: 2 }, c: { inFlight: 1, activeJobs: 0 } });
        expect(shareSlots(jobs, now, free, limits)).toEqual(plainly(jobs, now, free, limits));
      }),
    );
  });
});

describe('slots of workspaces over time', () => {
  /** Rounds in which a share of all work ends at random; returns how much each workspace had in work on average. */
  function simulate(workers: number, demand: Record<string, { jobs: number; units: number }>) {
    const limits = slotLimits(JobSettings.parse({}), workers);
    const jobs = Object.entries(demand).flatMap(([workspace, { jobs: count, units }]) =>
      Array.from({ length: count }, (_, index) => ({
        ...job(`${workspace}-${index}`, workspace, { admitted: false, timeCreated: new Date(index) }),
        left: units,
      })),
    );
    const byId = new Map(jobs.map((each) => [each.jobId, each]));
    const had: Record<string, number> = Object.fromEntries(Object.keys(demand).map((id) => [id, 0]));
    const rounds = 8;
    for (let round = 0; round < rounds; round += 1) {
      for (const each of jobs) {
        each.inFlight = Math.floor(each.inFlight * ((each.jobId.length * 7 + round * 13) % 10) * 0.1);
        each.wants = Math.max(0, Math.min(limits.perJob - each.inFlight, each.left));
      }
      const now = shares({});
      for (const id of Object.keys(demand)) {
        const own = jobs.filter((each) => each.workspaceId === id);
        const active = own.filter((each) => each.admitted && (each.left > 0 || each.inFlight > 0)).length;
        now.set(id, { weight: 1, inFlight: own.reduce((sum, each) => sum + each.inFlight, 0), activeJobs: active });
      }
      const taken = [...now.values()].reduce((sum, { inFlight }) => sum + inFlight, 0);
      for (const id of shareSlots(jobs, now, limits.total - taken, limits)) {
        const each = byId.get(id)!;
        Object.assign(each, { admitted: true, left: each.left - 1, inFlight: each.inFlight + 1 });
      }
      for (const each of jobs) had[each.workspaceId]! += each.inFlight;
    }
    for (const id of Object.keys(had)) had[id]! /= rounds;
    return { limits, had };
  }

  it.each([
    ['one film', { jobs: 1, units: 1_000_000 }, 0.75],
    ['ten films', { jobs: 10, units: 100_000 }, 1],
    ['jobs of one photo', { jobs: 20_000, units: 1 }, 1],
  ])('%s of a workspace that is alone keeps a thousand workers busy', (_what, demand, share) => {
    const { limits, had } = simulate(1_000, { alone: demand });
    expect(limits.total).toBe(2_000);
    expect(had.alone).toBeGreaterThanOrEqual(limits.total * share);
    expect(had.alone).toBeGreaterThanOrEqual(1_000);
  });

  it('several workspaces have equal shares, whatever their jobs are like', () => {
    const { limits, had } = simulate(60, {
      films: { jobs: 20, units: 10_000 },
      photos: { jobs: 4_000, units: 1 },
      film: { jobs: 1, units: 100_000 },
    });
    for (const each of Object.values(had)) expect(Math.abs(each / (limits.total / 3) - 1)).toBeLessThan(0.1);
  });
});

describe('slotLimits', () => {
  it('keeps what is set as hard limits', () => {
    const set = { maxChunksInFlight: 20, chunksPerJob: 4, activeJobsPerWorkspace: 5 };
    expect(slotLimits(JobSettings.parse(set), 1_000)).toEqual({
      ...{ total: 20, perJob: 4, activeJobs: 5, admitsBeyond: false },
    });
  });

  it('follows the workers otherwise', () => {
    const ofWorkers = (workers: number) => slotLimits(JobSettings.parse({}), workers);
    expect(ofWorkers(0)).toEqual({ total: 8, perJob: 6, activeJobs: 8, admitsBeyond: true });
    expect(ofWorkers(1_000)).toEqual({ total: 2_000, perJob: 1_500, activeJobs: 8, admitsBeyond: true });
    expect(slotLimits(JobSettings.parse({ maxChunksInFlight: 100 }), 3)).toMatchObject({ total: 100, perJob: 75 });
  });
});

/** The rule, slot by slot. */
function plainly(
  candidates: Candidate[],
  workspaces: Map<string, WorkspaceShare>,
  free: number,
  { activeJobs, admitsBeyond }: Admission,
): string[] {
  const now = new Map([...workspaces].map(([id, share]) => [id, { ...share }]));
  const jobs = candidates.map((each) => ({ ...each, share: now.get(each.workspaceId)! }));
  const given: string[] = [];
  while (given.length <= free) {
    const isFull = (workspace: string) =>
      !jobs.some((each) => each.workspaceId === workspace && each.admitted && each.wants > 0);
    const [next] = jobs
      .filter(({ wants, admitted, share, workspaceId }) => {
        const isAdmissible = admitted || share.activeJobs < activeJobs || (admitsBeyond && isFull(workspaceId));
        return wants > 0 && isAdmissible && !(given.length === free && share.inFlight > 0);
      })
      .sort(
        (a, b) =>
          a.share.inFlight / a.share.weight - b.share.inFlight / b.share.weight ||
          (a.workspaceId === b.workspaceId ? 0 : a.workspaceId < b.workspaceId ? -1 : 1) ||
          a.rank - b.rank ||
          a.inFlight - b.inFlight ||
          a.timeCreated.getTime() - b.timeCreated.getTime() ||
          (a.jobId < b.jobId ? -1 : 1),
      );
    if (next === undefined) break;
    if (!next.admitted) next.share.activeJobs++;
    next.share.inFlight++;
    Object.assign(next, { admitted: true, inFlight: next.inFlight + 1, wants: next.wants - 1 });
    given.push(next.jobId);
  }
  return given;
}
