/** Prefix of the path of every route but those for orchestrators and collectors. */
export const API_PREFIX = '/api';
