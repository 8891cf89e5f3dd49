import { expect, it } from '@jest/globals';
import { storedName } from './upload-file.js';

it.each([
  ['/films/a\n\u001b[31mb.jpg', 'a__[31mb.jpg'],
  ['/films/right\u202egpj.exe', 'right_gpj.exe'],
  ['/films/windows\\', 'windows_'],
  ['/films/Ärger "1".jpg', 'Ärger "1".jpg'],
])('a file %j is uploaded by a name that a storage takes', (path, name) => {
  expect(storedName(path)).toBe(name);
});
