/**
 * How a GPU fails that has nothing to do with the rows: it has no `memory` left, which passes when somebody lets go of some,
 * or it is `lost`, and with it every session on it.
 */
export type DeviceFailure = 'memory' | 'lost';

/** What ONNX Runtime, CUDA and Dawn (WebGPU) write; the buffer that is invalid is one that could not be had a moment before. */
const MEMORY =
  /out.of.(device.)?memory|failed to allocate memory|_ALLOC_FAILED|exceeds the max buffer size|Invalid Buffer.* due to a previous error/i;
const LOST =
  /device.{0,20}\blost\b|DEVICE_LOST|CUDA (failure|error)|CU(DNN|BLAS|FFT)[ _](failure|error|STATUS)|illegal memory access|Failed to get a WebGPU adapter/i;

/** What a message of ONNX Runtime says of the device; null when it is about something else. */
export function deviceFailure(message: string): DeviceFailure | null {
  if (MEMORY.test(message)) return 'memory';
  return LOST.test(message) ? 'lost' : null;
}
