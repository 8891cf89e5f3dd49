"""torchvision and open_clip, by both exporters of PyTorch: nothing but the graph says what they are."""

import json

import onnxruntime
import open_clip
import torch
import torchvision
from PIL import Image
from torchvision.transforms.functional import pil_to_tensor

from exporting import LABELS, PICTURES, export, labels_file, numbers, run
from random_weights import caught, caught_all, enlivened, seeded, spread

SIDE = 320
IMAGENET = {'colour': 'rgb', 'mean': '123.675,116.28,103.53', 'std': '58.395,57.12,57.375'}
CROPPED = {**IMAGENET, 'resize': 'crop', 'filter': 'antialiased'}


def opened():
    return [Image.open(path).convert('RGB') for path in PICTURES]


def classifier(name, weights, script):
    transform = weights.transforms()
    answers = {**CROPPED, 'shorterSide': str(transform.resize_size[0])}
    if transform.interpolation.value == 'bicubic':
        answers['filter'] = 'bicubic'
    exporter = 'TorchScript' if script else 'dynamo'

    @export(f'torch-{name}-{exporter.lower()}', by='torch', model=f'torchvision {name} ({exporter})', task='classify', answers=answers)
    @torch.no_grad()
    def make(folder):
        seeded()
        model = torchvision.models.get_model(name, weights=None, num_classes=len(LABELS)).eval()
        batch = torch.stack([transform(each) for each in opened()])
        enlivened(model, batch)
        layer = [each for each in model.modules() if isinstance(each, torch.nn.Linear)][-1]
        spread(layer, caught(layer, lambda: model(batch)), deviation=2.0)
        torch.onnx.export(model, (batch[:1],), 'model.onnx', dynamo=not script)
        labels_file(folder)
        return {'scores': numbers(model(batch).softmax(1))}


classifier('mobilenet_v3_small', torchvision.models.MobileNet_V3_Small_Weights.IMAGENET1K_V1, False)
classifier('mobilenet_v3_small', torchvision.models.MobileNet_V3_Small_Weights.IMAGENET1K_V1, True)
classifier('shufflenet_v2_x0_5', torchvision.models.ShuffleNet_V2_X0_5_Weights.IMAGENET1K_V1, False)
classifier('efficientnet_b0', torchvision.models.EfficientNet_B0_Weights.IMAGENET1K_V1, True)
classifier('regnet_x_400mf', torchvision.models.RegNet_X_400MF_Weights.IMAGENET1K_V2, False)


def detector(name):
    """Those of torchvision take 0..1 and do the rest inside, so a picture that is pulled to their size is what they are given."""
    answers = {'colour': 'rgb', 'mean': '0', 'std': '255', 'resize': 'stretch', 'filter': 'antialiased', 'size': f'{SIDE}x{SIDE}'}

    @export(f'torch-{name}', by='torch', model=f'torchvision {name} (TorchScript)', task='detect', answers=answers)
    @torch.no_grad()
    def make(folder):
        seeded()
        size = {} if name.startswith('ssd') else {'min_size': SIDE, 'max_size': SIDE}
        options = {'weights': None, 'weights_backbone': None, 'num_classes': len(LABELS) + 1, 'score_thresh': 0.2, **size}
        if name.startswith('fasterrcnn'):
            options['box_score_thresh'] = options.pop('score_thresh')
        model = getattr(torchvision.models.detection, name)(**options).eval()
        images = [pil_to_tensor(squashed(each)) / 255 for each in opened()]
        enlivened(model, images)
        if name.startswith('fasterrcnn'):
            layer = model.roi_heads.box_predictor.cls_score
            spread(layer, caught(layer, lambda: model(images[:1])), deviation=1.5)
        elif name.startswith('retinanet'):
            layer = model.head.classification_head.cls_logits
            # Of all levels: where those with many anchors spread by hundreds, every score is 1, and which boxes are kept is luck.
            spread(layer, levels_of(caught_all(layer, lambda: model(images))), deviation=1.5, highest=1.0)
            # It has learnt that nothing is the background.
            layer.weight.view(-1, len(LABELS) + 1, *layer.weight.shape[1:])[:, 0] = 0
            layer.bias.view(-1, len(LABELS) + 1)[:, 0] = -50
        else:
            for layer in model.head.classification_head.module_list:
                last = layer if isinstance(layer, torch.nn.Conv2d) else layer[-1]
                spread(last, caught(last, lambda: model(images)), deviation=1.5)
        torch.onnx.export(
            model, ([images[0]],), 'model.onnx', dynamo=False, opset_version=17, input_names=['image'], output_names=outputs_of(model, images[0])
        )
        labels_file(folder)
        # The graph holds the post-processing; the choice among thousands of random boxes differs with the last bit of a score.
        session = onnxruntime.InferenceSession('model.onnx', providers=['CPUExecutionProvider'])
        names = [each.name for each in session.get_outputs()]
        answers = [dict(zip(names, session.run(None, {'image': image.numpy()}))) for image in images]
        return {'boxes': [found(answer, picture) for answer, picture in zip(answers, opened())]}


def squashed(picture):
    """Across first, as Pillow did before version 13, where networks of today come from: what they are given is nothing of the export."""
    return picture.resize((SIDE, picture.height), Image.Resampling.BILINEAR).resize((SIDE, SIDE), Image.Resampling.BILINEAR)


def levels_of(maps):
    """N×values, of maps in several sizes."""
    return torch.cat([each.flatten(1) for each in maps], 1)


def outputs_of(model, image):
    """In the order in which the detector puts them into its answer."""
    return list(model([image])[0])


def found(answer, picture):
    across, down = picture.width / SIDE, picture.height / SIDE
    return [
        {
            'label': LABELS[int(kind) - 1],
            'score': float(score),
            'box': [float(box[0]) * across, float(box[1]) * down, float(box[2]) * across, float(box[3]) * down],
        }
        for box, kind, score in zip(answer['boxes'], answer['labels'], answer['scores'])
    ]


detector('fasterrcnn_mobilenet_v3_large_320_fpn')
detector('retinanet_resnet50_fpn')
detector('ssdlite320_mobilenet_v3_large')


def clip(name, architecture, side):
    """open_clip writes no notes that Adit reads; its own open_clip_config.json lies beside."""
    mean, std = open_clip.OPENAI_DATASET_MEAN, open_clip.OPENAI_DATASET_STD
    answers = {
        **{'family': 'image-text', 'logitScale': '100', 'colour': 'rgb', 'resize': 'crop', 'filter': 'bicubic', 'shorterSide': str(side)},
        'mean': ','.join(str(255 * value) for value in mean),
        'std': ','.join(str(255 * value) for value in std),
    }

    @export(f'open-clip-{name}', by='open_clip_torch', model=f'{architecture}, encoder of pictures', task='image-text', answers=answers)
    @torch.no_grad()
    def make(folder):
        seeded()
        model, _, transform = open_clip.create_model_and_transforms(architecture, pretrained=None)
        visual = model.visual.eval()
        batch = torch.stack([transform(each) for each in opened()])
        torch.onnx.export(visual, (batch[:1],), 'model.onnx', dynamo=False, input_names=['image'], output_names=['image_embeds'])
        (folder / 'open_clip_config.json').write_text(json.dumps({'model_cfg': open_clip.get_model_config(architecture)}))
        return {'embeddings': numbers(visual(batch))}


clip('rn50', 'RN50', 224)

if __name__ == '__main__':
    run()
