"""timm: classifiers of several kinds, by its own exporter, with the config.json that it saves; asked through its own transform."""

import timm
import torch
from timm.models import save_for_hf
from timm.utils.onnx import onnx_export

from exporting import LABELS, export, numbers, run
from random_weights import caught, enlivened, seeded, spread
from timm_inputs import inputs


def declare(name, architecture, classes=len(LABELS), **options):
    what = f"{architecture} ({', '.join(f'{key}={value}' for key, value in options.items())})" if options else architecture
    embeds = classes == 0
    answers = {'maxDistance': '1'} if embeds else {}

    @export(f'timm-{name}', by='timm', model=what, task='embedding' if embeds else 'classify', answers=answers)
    @torch.no_grad()
    def make(folder):
        seeded()
        model = timm.create_model(architecture, pretrained=False, num_classes=classes).eval()
        batch = inputs(model)
        enlivened(model, batch)
        if not embeds:
            layer = model.get_classifier()
            spread(layer, caught(layer, lambda: model(batch)), deviation=2.0)
        said = {} if embeds else {'label_names': LABELS}
        save_for_hf(model, folder, model_config=said, safe_serialization=True)
        (folder / 'model.safetensors').unlink(missing_ok=True)
        onnx_export(model, 'model.onnx', batch_size=1, input_size=tuple(batch.shape[1:]), **options)
        values = model(batch)
        return {'embeddings': numbers(values)} if embeds else {'scores': numbers(values.softmax(1))}


declare('mobilenetv3', 'mobilenetv3_small_050')
declare('mobilenetv3-dynamo', 'mobilenetv3_small_050', use_dynamo=True)
declare('resnet', 'resnet10t')
declare('vit', 'vit_tiny_patch16_224')
declare('convnext', 'convnext_atto')
declare('regnet', 'regnetx_002')
declare('efficientnet-lite', 'efficientnet_lite0')
declare('mobilenetv4', 'mobilenetv4_conv_small')
declare('ghostnet', 'ghostnet_050')
declare('edgenext', 'edgenext_xx_small')
declare('features', 'mobilenetv3_small_050', classes=0)

if __name__ == '__main__':
    run()
