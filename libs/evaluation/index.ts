export type { FoundBox, JudgedPicture, TrueBox } from './average-precision.js';
export type { Evaluation, LeftOut } from './evaluation.js';
export { evaluationPage } from './evaluation-page.js';
export { classifierFigures, detectorFigures, type Answer, type Figures } from './figures.js';
export { readLabelledFolder } from './labelled-folder.js';
export { checkSet, MAX_PICTURES, type LabelledPicture, type LabelledSet } from './labelled-set.js';
export { shownFigures, shownLabels, shownShare } from './shown-figures.js';
