/** Parameters that lead yt-dlp from a film to the list that it was opened from. */
const OF_LISTS = ['list', 'index', 'start_radio', 'pp'];

/**
 * Returns the address of one film for yt-dlp: without the list that it belongs to, and without the fragment, in which
 * yt-dlp would take orders (headers, another extractor) for its own.
 */
export function filmUrl(page: URL): URL {
  const url = new URL(page);
  url.hash = '';
  for (const name of OF_LISTS) url.searchParams.delete(name);
  return url;
}
