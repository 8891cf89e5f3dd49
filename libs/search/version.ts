/**
 * Form of the documents. Raised when the same results give other documents, such as by another `findable` of a module:
 * everything is indexed again then, job by job, while the search goes on.
 */
export const SEARCH_VERSION = 2;
