/** Lets the browser keep what was answered as a file. */
export async function saveAs(reply: Response, filename: string): Promise<void> {
  const url = URL.createObjectURL(await reply.blob());
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: filename });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
