// The newest exporters, each in a Python of the cache that has what goes together.

const TORCH = ['torch==2.15.0', 'torchvision==0.29.2', 'onnxscript==0.7.2'];
const RUNTIME = 'onnxruntime==1.32.0';
const PICTURES = 'pillow==13.0.0';

/**
 * `module` is what its Python has to be able to import, `installs` the arguments of each run of pip, `scripts` what is run in it, of
 * `python`.
 */
export const ENVIRONMENTS = [
  {
    name: 'torch',
    module: 'rfdetr',
    installs: [
      [
        ...[...TORCH, 'onnx==1.23.2', RUNTIME, 'onnxslim==0.1.98', 'timm==1.0.31', 'transformers==5.24.0'],
        ...['ultralytics==8.4.190', 'open_clip_torch==3.3.0', 'rfdetr==1.11.2'],
      ],
    ],
    scripts: [
      'ultralytics_exports.py',
      'timm_exports.py',
      'torch_exports.py',
      'rfdetr_exports.py',
      'quantised_exports.py',
    ],
  },
  {
    name: 'optimum',
    module: 'optimum.exporters.onnx',
    installs: [[...TORCH, 'optimum-onnx[onnxruntime]==0.1.0', PICTURES]],
    scripts: ['optimum_exports.py'],
  },
  {
    name: 'keras',
    module: 'tf2onnx',
    installs: [['tensorflow-cpu==2.21.0', 'keras==3.15.1', 'tf2onnx==1.17.0', RUNTIME, PICTURES]],
    scripts: ['keras_exports.py'],
  },
  {
    name: 'paddle',
    module: 'paddle2onnx',
    installs: [['paddlepaddle==3.3.1', 'paddle2onnx==2.1.0', 'setuptools==84.2.1', RUNTIME, PICTURES]],
    scripts: ['paddle_exports.py'],
  },
  {
    name: 'jax',
    module: 'jax2onnx',
    installs: [['jax2onnx==0.17.1', 'flax==0.12.8', PICTURES]],
    scripts: ['jax_exports.py'],
  },
  {
    name: 'tabular',
    module: 'onnxmltools',
    installs: [
      [
        'skl2onnx==1.20.0',
        'onnxmltools==1.16.0',
        'xgboost==3.2.0',
        'lightgbm==4.7.0',
        'catboost==1.2.10',
        RUNTIME,
        PICTURES,
      ],
    ],
    scripts: ['tabular_exports.py'],
  },
];
