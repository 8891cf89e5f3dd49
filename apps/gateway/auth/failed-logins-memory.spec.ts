import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FailedLogins } from './failed-logins.js';

const MAX_ENTRIES = 10_000;
let clock: ReturnType<typeof jest.spyOn>;
beforeEach(() => void (clock = jest.spyOn(performance, 'now').mockReturnValue(0)));
afterEach(() => void clock.mockRestore());

const address = (number: number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
/** Seconds to wait; null for none. */
const waits = (logins: FailedLogins, from: string, credential = 'wrong'): number | null => {
  try {
    logins.check(from, credential);
    return null;
  } catch (error) {
    expect(error).toMatchObject({ code: 'RATE_LIMITED' });
    return (error as { options: { retryAfterSeconds: number } }).options.retryAfterSeconds;
  }
};

describe('the memory of wrong credentials', () => {
  it('attempts come back evenly within a minute, however many more were wrong', () => {
    const logins = new FailedLogins({ failedLoginsPerMinute: 3 });
    for (let each = 0; each < 3; each++) {
      expect(waits(logins, '10.0.0.1')).toBeNull();
      logins.failed('10.0.0.1');
    }
    expect(waits(logins, '10.0.0.1')).toBe(20);
    for (let each = 0; each < 9; each++) logins.failed('10.0.0.1');
    expect(waits(logins, '10.0.0.1')).toBe(20);
    clock.mockReturnValue(19_500);
    expect(waits(logins, '10.0.0.1')).toBe(1);
    clock.mockReturnValue(20_000);
    expect(waits(logins, '10.0.0.1')).toBeNull();
    logins.failed('10.0.0.1');
    expect(waits(logins, '10.0.0.1')).toBe(20);
  });

  it('nothing is remembered without a limit', () => {
    const logins = new FailedLogins({ failedLoginsPerMinute: 0 });
    for (let each = 0; each < 9; each++) logins.failed('10.0.0.1');
    expect(waits(logins, '10.0.0.1')).toBeNull();
  });

  it('credentials that were right here are let in, the latest of them', () => {
    const logins = new FailedLogins({ failedLoginsPerMinute: 1 });
    for (let each = 0; each <= MAX_ENTRIES; each++) logins.succeeded(`key ${each}`);
    logins.failed('10.0.0.1');
    expect(waits(logins, '10.0.0.1')).toBe(60);
    expect(waits(logins, '10.0.0.1', 'key 0')).toBe(60);
    expect(waits(logins, '10.0.0.1', 'key 1')).toBeNull();
    expect(waits(logins, '10.0.0.1', `key ${MAX_ENTRIES}`)).toBeNull();
  });

  it('the memory stays small: clients that have not failed for a minute are forgotten first, then all', () => {
    const logins = new FailedLogins({ failedLoginsPerMinute: 1 });
    for (let each = 0; each < MAX_ENTRIES - 1; each++) logins.failed(address(each));
    clock.mockReturnValue(30_000);
    logins.failed(address(MAX_ENTRIES));
    clock.mockReturnValue(60_000);
    logins.failed(address(MAX_ENTRIES + 1));
    // The first ones may come again anyway; the last two are remembered.
    expect([waits(logins, address(MAX_ENTRIES)), waits(logins, address(MAX_ENTRIES + 1))]).toEqual([30, 60]);
    for (let each = 0; each < MAX_ENTRIES - 2; each++) logins.failed(address(each));
    expect(waits(logins, address(0))).toBe(60);
    logins.failed(address(MAX_ENTRIES + 2));
    expect([waits(logins, address(0)), waits(logins, address(MAX_ENTRIES + 2))]).toEqual([null, 60]);
  });
});
