export { collectionOf, IndexCollections, presentCollection } from './collections.js';
export { erasePerson, IndexedIdentities, shownIdentities, type PlaceInList } from './identities.js';
export { foundSegments } from './found-segments.js';
export { nameSegments, nameSummaries } from './named-segments.js';
export { NeighbourSearches } from './nearest/choose.js';
export { removeDeletedCollections } from './removal.js';
export { IndexSettings } from './settings.js';
export { UnknownFaces, type UnknownFace } from './unknown-faces.js';
export * from './erasure-of-workspace.js';
