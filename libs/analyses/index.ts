export { FaceObservations } from './faces/observations.js';

/** The folder in which analyses are found, each in its own subfolder. */
export const analysesFolder: string = import.meta.dirname;
