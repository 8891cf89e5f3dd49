import { noCircles } from './no-circles.mjs';

/** Lint rules of this repository alone. */
export default { meta: { name: 'adit' }, rules: { 'no-circles': noCircles() } };
