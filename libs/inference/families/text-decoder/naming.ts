/** The name of the decoder of text that belongs to an encoder of pictures. */
export function textDecoderOf(model: string): string {
  return `${model}-decoder`;
}
