/**
 * Failure of a GPU that is independent of the rows: it has no `memory` left, which passes when some is freed, or it is
 * `lost`, with every session on it.
 */
export type DeviceFailure = 'memory' | 'lost';

/** Messages of ONNX Runtime, CUDA and Dawn (WebGPU); an invalid buffer is one whose allocation failed before. */
const MEMORY =
  /out.of.(device.)?memory|failed to allocate memory|_ALLOC_FAILED|exceeds the max buffer size|Invalid Buffer.* due to a previous error/i;
const LOST =
  /device.{0,20}\blost\b|DEVICE_LOST|CUDA (failure|error)|CU(DNN|BLAS|FFT)[ _](failure|error|STATUS)|illegal memory access|Failed to get a WebGPU adapter/i;

/** Returns the device failure that a message of ONNX Runtime reports; null for other messages. */
export function deviceFailure(message: string): DeviceFailure | null {
  if (MEMORY.test(message)) return 'memory';
  return LOST.test(message) ? 'lost' : null;
}
