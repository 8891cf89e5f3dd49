import { noCircles, noFolderCircles } from './no-circles.mjs';
import { noLostErrors } from './no-lost-errors.mjs';

/** Lint rules of this repository alone. */
export default {
  meta: { name: 'adit' },
  rules: { 'no-circles': noCircles(), 'no-folder-circles': noFolderCircles(), 'no-lost-errors': noLostErrors },
};
