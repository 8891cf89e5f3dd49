import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json } from '@adit/contracts';
import { MAX_STATE_BYTES, sealState, unsealState } from './fold-state.js';

const OWNER = { id: 'shot_boundaries', version: 2 };

describe('stored states', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const state = JSON.parse(JSON.stringify(value)) as Json;
        expect(unsealState(OWNER, sealState(OWNER, state))).toEqual(state);
      }),
    );
  });

  it.each([
    ['of another version', sealState({ ...OWNER, version: 1 }, { open: [] })],
    ['of another module', sealState({ ...OWNER, id: 'faces' }, { open: [] })],
    ['that are no states', '[1]'],
    ['cut short', '{"module":"shot_boun'],
  ])('are discarded and folded anew: %s', (_, text) => {
    expect(unsealState(OWNER, text)).toBeNull();
  });

  it('of another version are migrated where the module supports it', () => {
    const adopt = (state: Json, version: number): Json => (version === 1 ? { open: state } : null);
    expect(unsealState({ ...OWNER, adopt }, sealState({ ...OWNER, version: 1 }, [7]))).toEqual({ open: [7] });
    expect(unsealState({ ...OWNER, adopt }, sealState({ ...OWNER, version: 0 }, [7]))).toBeNull();
    expect(unsealState({ ...OWNER, adopt }, sealState({ ...OWNER, id: 'faces', version: 1 }, [7]))).toBeNull();
  });

  it('over 1 MiB are refused, counted in bytes', () => {
    const room = MAX_STATE_BYTES - Buffer.byteLength(sealState(OWNER, ''));
    expect(() => sealState(OWNER, 'x'.repeat(room))).not.toThrow();
    expect(() => sealState(OWNER, 'x'.repeat(room + 1))).toThrow(/shot_boundaries takes 1048577 bytes/);
    expect(() => sealState(OWNER, 'ü'.repeat(room / 2 + 1))).toThrow();
  });
});
