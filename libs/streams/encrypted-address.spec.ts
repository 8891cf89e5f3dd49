import { expect, it } from '@jest/globals';
import { decryptAddress } from './encrypted-address.js';

it('an address that an earlier release encrypted is read', () => {
  const encrypted = 'v1.R56M4GwbJns8CRbUqdU0_wd7cS4S3qhUZyzGTLeUZ4BDS1CKueMXqoOegjZRHux7OloLYeifBK-0odGvsMceD8jVxoX2kw';
  expect(decryptAddress(encrypted, 'workspace', 'k'.repeat(32))).toBe('rtsp://user:secret@camera.example.org/live');
});
