/** Returns the name of the text decoder of a picture encoder. */
export function textDecoderOf(model: string): string {
  return `${model}-decoder`;
}
