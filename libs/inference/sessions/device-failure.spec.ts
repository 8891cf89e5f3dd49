import { expect, it } from '@jest/globals';
import { deviceFailure } from './device-failure.js';

it.each([
  // Message of Dawn on SwiftShader for an allocation of a gigabyte.
  ['vkAllocateMemory failed with VK_ERROR_OUT_OF_DEVICE_MEMORY\n - While calling [Device].CreateBuffer', 'memory'],
  ['WebGPU validation failed. [Invalid Buffer (unlabeled)] is invalid due to a previous error.', 'memory'],
  ['WebGPU validation failed. Buffer size (1610612736) exceeds the max buffer size limit (1073741824).', 'memory'],
  ['Failed to allocate memory for requested buffer of size 4294967296', 'memory'],
  ['CUDA failure 2: out of memory ; GPU=0', 'memory'],
  ['CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED', 'memory'],
  ['WebGPU device lost (2): A valid external Instance reference no longer exists.', 'lost'],
  ['vkQueueSubmit failed with VK_ERROR_DEVICE_LOST', 'lost'],
  ['CUDA failure 700: an illegal memory access was encountered ; GPU=0', 'lost'],
  ['CUDNN failure 4000: CUDNN_STATUS_INTERNAL_ERROR', 'lost'],
  ['Non-zero status code returned while running Reshape node.', null],
  ['Got invalid dimensions for input: x', null],
])('%s: %s', (message, failure) => expect(deviceFailure(message)).toBe(failure));
