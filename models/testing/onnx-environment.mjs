import { TestEnvironment } from 'jest-environment-node';

/**
 * jest runs specs in a realm of their own, whose typed arrays ONNX Runtime's native addon takes for something else.
 * Specs that run models say `@jest-environment` with this file and share Node's own.
 */
export default class OnnxEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    Object.assign(this.global, { Float32Array, Float64Array, Int32Array, BigInt64Array, Uint8Array, Uint16Array });
  }
}
