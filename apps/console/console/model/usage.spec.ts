import { describe, expect, it } from '@jest/globals';
import { barsOf, byDay } from './usage.js';
import { usageAddress, usageFilterOf } from './usage-filter.js';

const row = (day: string, media: number) => ({
  ...{ day, media_seconds: media, chunk_seconds: 1, cpu_model_seconds: 2, gpu_model_seconds: 3 },
});

describe('usage by day', () => {
  it('days without anything are 0', () => {
    const days = byDay({ from: '2026-02-27', to: '2026-03-01' }, [row('2026-02-28', 7)], 'media_seconds');
    expect(days).toEqual([
      { day: '2026-02-27', value: 0 },
      { day: '2026-02-28', value: 7 },
      { day: '2026-03-01', value: 0 },
    ]);
    expect(byDay({ from: '', to: 'x' }, [], 'media_seconds')).toEqual([]);
  });

  it('bars are as high as their value, and the least is seen', () => {
    const days = [0, 50, 100, 0.001].map((value) => ({ day: '2026-01-01', value }));
    expect(barsOf(days, 200)).toEqual([
      { x: 0, y: 200, height: 0 },
      { x: 1, y: 100, height: 100 },
      { x: 2, y: 0, height: 200 },
      { x: 3, y: 198, height: 2 },
    ]);
    expect(barsOf([{ day: '2026-01-01', value: 0 }], 10)).toEqual([{ x: 0, y: 10, height: 0 }]);
  });

  it('its filter is the address', () => {
    const filter = { from: '2026-01-01', to: '2026-01-31', by: 'key' } as const;
    expect(usageFilterOf(new URLSearchParams(usageAddress(filter).split('?')[1]))).toEqual(filter);
    expect(usageAddress({ from: '', to: '', by: 'day' })).toBe('#/usage');
    expect(usageFilterOf(new URLSearchParams('by=workspace'))).toEqual({ from: '', to: '', by: 'day' });
  });
});
