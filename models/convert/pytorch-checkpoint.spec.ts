import { randomOf } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { checkpointTensors } from './pytorch-checkpoint.js';

// Written by PyTorch 2.0.1: torch.save(…, _use_new_zipfile_serialization=False).
/** {'step': 7, 'model_state': OrderedDict(a=tensor([[1.5, -2], [0.25, 3]]), b=tensor([1., 2., 4., 8.])[1:3])} */
const CHECKPOINT =
  'gAKKCmz8nEb5IGqoUBkugAJN6QMugAJ9cQAoWBAAAABwcm90b2NvbF92ZXJzaW9ucQFN6QNYDQAAAGxpdHRsZV9lbmRpYW5xAohYCgAAAHR5cG' +
  'Vfc2l6ZXNxA31xBChYBQAAAHNob3J0cQVLAlgDAAAAaW50cQZLBFgEAAAAbG9uZ3EHSwR1dS6AAn1xAChYBAAAAHN0ZXBxAUsHWAsAAABtb2Rl' +
  'bF9zdGF0ZXECY2NvbGxlY3Rpb25zCk9yZGVyZWREaWN0CnEDKVJxBChYAQAAAGFxBWN0b3JjaC5fdXRpbHMKX3JlYnVpbGRfdGVuc29yX3YyCn' +
  'EGKChYBwAAAHN0b3JhZ2VxB2N0b3JjaApGbG9hdFN0b3JhZ2UKcQhYDgAAADk0NjY4MzAwOTc1NDA4cQlYAwAAAGNwdXEKSwROdHELUUsASwJL' +
  'AoZxDEsCSwGGcQ2JaAMpUnEOdHEPUnEQWAEAAABicRFoBigoaAdoCFgOAAAAOTQ2NjgzMDEzNzAwMTZxEmgKSwROdHETUUsBSwKFcRRLAYVxFY' +
  'loAylScRZ0cRdScRh1dS6AAl1xAChYDgAAADk0NjY4MzAwOTc1NDA4cQFYDgAAADk0NjY4MzAxMzcwMDE2cQJlLgQAAAAAAAAAAADAPwAAAMAA' +
  'AIA+AABAQAQAAAAAAAAAAACAPwAAAEAAAIBAAAAAQQ==';
/** {'model_state': {'t': torch.arange(4.).reshape(2, 2).t()}} */
const TURNED =
  'gAKKCmz8nEb5IGqoUBkugAJN6QMugAJ9cQAoWBAAAABwcm90b2NvbF92ZXJzaW9ucQFN6QNYDQAAAGxpdHRsZV9lbmRpYW5xAohYCgAAAHR5cG' +
  'Vfc2l6ZXNxA31xBChYBQAAAHNob3J0cQVLAlgDAAAAaW50cQZLBFgEAAAAbG9uZ3EHSwR1dS6AAn1xAFgLAAAAbW9kZWxfc3RhdGVxAX1xAlgB' +
  'AAAAdHEDY3RvcmNoLl91dGlscwpfcmVidWlsZF90ZW5zb3JfdjIKcQQoKFgHAAAAc3RvcmFnZXEFY3RvcmNoCkZsb2F0U3RvcmFnZQpxBlgOAA' +
  'AAOTQ2NjgzMDA5NzAzMzZxB1gDAAAAY3B1cQhLBE50cQlRSwBLAksChnEKSwFLAoZxC4ljY29sbGVjdGlvbnMKT3JkZXJlZERpY3QKcQwpUnEN' +
  'dHEOUnEPc3MugAJdcQBYDgAAADk0NjY4MzAwOTcwMzM2cQFhLgQAAAAAAAAAAAAAAAAAgD8AAABAAABAQA==';
/** {'model_state': {'h': torch.tensor([1, 2])}} */
const WHOLE_NUMBERS =
  'gAKKCmz8nEb5IGqoUBkugAJN6QMugAJ9cQAoWBAAAABwcm90b2NvbF92ZXJzaW9ucQFN6QNYDQAAAGxpdHRsZV9lbmRpYW5xAohYCgAAAHR5cG' +
  'Vfc2l6ZXNxA31xBChYBQAAAHNob3J0cQVLAlgDAAAAaW50cQZLBFgEAAAAbG9uZ3EHSwR1dS6AAn1xAFgLAAAAbW9kZWxfc3RhdGVxAX1xAlgB' +
  'AAAAaHEDY3RvcmNoLl91dGlscwpfcmVidWlsZF90ZW5zb3JfdjIKcQQoKFgHAAAAc3RvcmFnZXEFY3RvcmNoCkxvbmdTdG9yYWdlCnEGWA4AAA' +
  'A5NDY2ODMwMjgxNDQwMHEHWAMAAABjcHVxCEsCTnRxCVFLAEsChXEKSwGFcQuJY2NvbGxlY3Rpb25zCk9yZGVyZWREaWN0CnEMKVJxDXRxDlJx' +
  'D3NzLoACXXEAWA4AAAA5NDY2ODMwMjgxNDQwMHEBYS4CAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAA=';
/** {'model_state': {'e': …}} with an object whose unpickling runs a program. */
const PROGRAM =
  'gAKKCmz8nEb5IGqoUBkugAJN6QMugAJ9cQAoWBAAAABwcm90b2NvbF92ZXJzaW9ucQFN6QNYDQAAAGxpdHRsZV9lbmRpYW5xAohYCgAAAHR5cG' +
  'Vfc2l6ZXNxA31xBChYBQAAAHNob3J0cQVLAlgDAAAAaW50cQZLBFgEAAAAbG9uZ3EHSwR1dS6AAn1xAFgLAAAAbW9kZWxfc3RhdGVxAX1xAlgB' +
  'AAAAZXEDY3Bvc2l4CnN5c3RlbQpxBFgTAAAAdG91Y2ggL3RtcC9zcGsvZXZpbHEFhXEGUnEHc3MugAJdcQAu';

const file = (text: string): Buffer => Buffer.from(text, 'base64');

describe('a PyTorch checkpoint', () => {
  it('gives its tensors, whole or parts of a storage', () => {
    const tensors = checkpointTensors(file(CHECKPOINT), 'model_state');
    expect([...tensors]).toEqual([
      ['a', { type: 'float32', dims: [2, 2], data: Float32Array.of(1.5, -2, 0.25, 3) }],
      ['b', { type: 'float32', dims: [2], data: Float32Array.of(2, 4) }],
    ]);
  });

  it.each([
    ['a tensor that is turned', TURNED, /^t is no tensor of float32 in row-major order/],
    ['whole numbers', WHOLE_NUMBERS, /^h is no tensor of float32/],
    ['what is to be called', PROGRAM, /^e is no tensor of float32/],
    ['no checkpoint', Buffer.from('PK').toString('base64'), /pickle/],
  ])('refuses %s', (_, text, message) => {
    expect(() => checkpointTensors(file(text), 'model_state')).toThrow(message);
  });

  it('names a missing dictionary', () => {
    expect(() => checkpointTensors(file(CHECKPOINT), 'weights')).toThrow(/has no weights/);
    expect(() => checkpointTensors(file(CHECKPOINT), 'step')).toThrow(/has no step/);
  });

  it('is refused when truncated anywhere, and with trailing bytes', () => {
    const whole = file(CHECKPOINT);
    const refused = expect.objectContaining({ code: 'MODEL_NOT_INSTALLED' });
    for (let length = 0; length < whole.length; length += 1) {
      expect(failureOf(whole.subarray(0, length))).toEqual(refused);
    }
    expect(failureOf(Buffer.concat([whole, Buffer.of(0)]))).toEqual(refused);
  });

  it('is read or refused with a reason, whatever bytes are changed', () => {
    const random = randomOf(3);
    for (let run = 0; run < 3_000; run += 1) {
      const damaged = Buffer.from(file(CHECKPOINT));
      for (let i = 0; i <= run % 4; i += 1) damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
      const failure = failureOf(damaged);
      if (failure !== null) expect(failure).toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    }
  });
});

function failureOf(bytes: Buffer): unknown {
  try {
    checkpointTensors(bytes, 'model_state');
    return null;
  } catch (error) {
    return error;
  }
}
