/** Each page is a picture in a chunk of its own. */
export const MAX_PAGES = 2000;
