/** One line on a terminal that is written over as an upload goes on, and gone when it is done. */
export function uploadProgress(name: string, out: NodeJS.WriteStream): (sent: number, total: number) => void {
  let shown = -1;
  return (sent, total) => {
    const percent = total === 0 ? 100 : Math.floor((sent / total) * 100);
    if (percent === shown) return;
    shown = percent;
    out.write(sent >= total ? '\r\x1b[K' : `\r\x1b[KUploading ${name}: ${percent} %`);
  };
}
