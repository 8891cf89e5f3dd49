/** What stands before the path of every route but those that orchestrators and collectors ask. */
export const API_PREFIX = '/api';
