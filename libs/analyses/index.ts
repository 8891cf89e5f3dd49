export { FaceObservations } from './faces/observations.js';
