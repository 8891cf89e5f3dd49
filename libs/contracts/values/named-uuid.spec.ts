import { describe, expect, it } from '@jest/globals';
import { modelId } from '../resources/model.js';
import { namedUuid } from './named-uuid.js';

describe('namedUuid', () => {
  it('the id is version 5 of RFC 9562', () => {
    const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    expect(namedUuid(dns, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
  });
});

describe('modelId', () => {
  it('never changes', () => {
    expect(modelId('general-c')).toBe('46c10034-0b7a-5ab1-b21a-2de659e84ed1');
    expect(modelId('team')).not.toBe(modelId('Team'));
  });
});
