export { FaceObservations } from './faces/observations.js';

/** Folder in which analyses are found, each in its own subfolder. */
export const analysesFolder: string = import.meta.dirname;
