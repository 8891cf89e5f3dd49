import { AditError, type ErrorCode } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import { afterFailure, type AfterFailure } from './settings.js';

describe('after an attempt that failed', () => {
  it.each<[AfterFailure, ErrorCode, { attempt: number; stopping?: boolean }]>([
    ['again', 'LIMIT_EXCEEDED', { attempt: 1 }],
    ['given-up', 'LIMIT_EXCEEDED', { attempt: 3 }],
    ['given-up', 'MEDIA_INVALID', { attempt: 1 }],
    ['deferred', 'UNAVAILABLE', { attempt: 1 }],
    ['deferred', 'UNAVAILABLE', { attempt: 3 }],
    ['released', 'MEDIA_INVALID', { attempt: 3, stopping: true }],
  ])('%s follows %s of %o', (next, code, attempt) => {
    expect(afterFailure(new AditError(code, 'it did not work'), { ...attempt, maxAttempts: 3 })).toBe(next);
  });
});
