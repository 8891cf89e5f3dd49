import { describe, expect, it } from '@jest/globals';
import { auditAddress, auditFilterOf, auditQueryOf } from './audit-filter.js';

const NONE = { actor: '', action: '', resource: '', from: '', to: '' };

describe('the filter of the audit log', () => {
  it('is the address', () => {
    const filter = { ...NONE, actor: 'a-b', resource: 'api-keys', from: '2026-11-01' };
    expect(auditFilterOf(new URLSearchParams(auditAddress(filter).split('?')[1]))).toEqual(filter);
    expect(auditAddress(NONE)).toBe('#/audit');
  });

  it('days are whole ones, both included', () => {
    const { time_start: start = '', time_end: end = '' } = auditQueryOf({
      ...NONE,
      from: '2026-11-01',
      to: '2026-11-01',
    });
    expect(Date.parse(end) - Date.parse(start)).toBe(86_400_000 - 1);
    expect(new Date(start).getHours()).toBe(0);
    expect(auditQueryOf({ ...NONE, from: 'yesterday', action: 'deleted' })).toEqual({ action: 'deleted' });
  });
});
