import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shareSlots, type Candidate, type WorkspaceShare } from './fair-share.js';

function job(jobId: string, workspaceId: string, more: Partial<Candidate> = {}): Candidate {
  const timeCreated = new Date(0);
  return { jobId, workspaceId, rank: 4, timeCreated, admitted: true, wants: 4, inFlight: 0, ...more };
}

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
      8,
    );
    expect(given).toEqual(['photo']);
  });

  it('gives a workspace that has nothing in flight one extra slot', () => {
    const waiting = [job('film', 'busy'), job('photo', 'quiet', { wants: 3 }), job('other', 'late')];
    const now = shares({ busy: { inFlight: 8 }, quiet: {}, late: {} });
    expect(shareSlots(waiting, now, 0, 8)).toEqual(['other']);
    expect(shareSlots(waiting, now, -1, 8)).toEqual([]);
    expect(shareSlots([job('film', 'busy')], now, 0, 8)).toEqual([]);
  });

  it('takes the better priority first, then the job with less in flight, then the older one', () => {
    const urgent = job('urgent', 'w', { rank: 0, inFlight: 3, wants: 1, timeCreated: new Date(3) });
    const film = job('film', 'w', { inFlight: 2, timeCreated: new Date(1) });
    const photo = job('photo', 'w', { inFlight: 0, wants: 1, timeCreated: new Date(2) });
    expect(shareSlots([film, photo, urgent], shares({ w: {} }), 3, 8)).toEqual(['urgent', 'photo', 'film']);
  });

  it('shares by weight', () => {
    const given = shareSlots(
      [job('a', 'light', { wants: 100 }), job('b', 'heavy', { wants: 100 })],
      shares({ light: {}, heavy: { weight: 3 } }),
      8,
      8,
    );
    expect(given.filter((id) => id === 'b')).toHaveLength(6);
  });

  it('admits no more new jobs of a workspace than its limit', () => {
    const waiting = Array.from({ length: 5 }, (_, index) => job(`j${index}`, 'w', { admitted: false, wants: 1 }));
    expect(shareSlots(waiting, shares({ w: { activeJobs: 6 } }), 10, 8)).toHaveLength(2);
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
        const given = shareSlots(jobs, shares({ a: {}, b: {}, c: {} }), free, 100);
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
});
