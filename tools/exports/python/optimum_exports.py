"""Hugging Face's Optimum: small configurations of transformers' classes, saved and exported as a user would; asked through transformers."""

import torch
import transformers
from optimum.exporters.onnx import main_export
from PIL import Image

from exporting import LABELS, PICTURES, export, numbers, run
from random_weights import caught, enlivened, seeded, spread

NAMED = {'id2label': dict(enumerate(LABELS)), 'label2id': {label: at for at, label in enumerate(LABELS)}}
SMALL = {'hidden_size': 48, 'num_hidden_layers': 2, 'num_attention_heads': 4, 'intermediate_size': 96}


def opened():
    return [Image.open(path).convert('RGB') for path in PICTURES]


def saved(model, processor, folder, task):
    model.save_pretrained(folder / 'saved')
    processor.save_pretrained(folder / 'saved')
    main_export(str(folder / 'saved'), output=str(folder / 'written'), task=task, do_validation=False)
    for path in (folder / 'written').iterdir():
        path.rename(folder / path.name)


def classifier(name, make_model, make_processor, head):
    @export(f'optimum-{name}', by='optimum-onnx', model=name, task='classify')
    @torch.no_grad()
    def make(folder):
        seeded()
        model, processor = make_model().eval(), make_processor()
        batch = processor(images=opened(), return_tensors='pt')['pixel_values']
        enlivened(model, batch)
        layer = head(model)
        spread(layer, caught(layer, lambda: model(batch)), deviation=2.0)
        saved(model, processor, folder, 'image-classification')
        return {'scores': numbers(model(batch).logits.softmax(1))}


T = transformers
classifier(
    'ViT',
    lambda: T.ViTForImageClassification(T.ViTConfig(image_size=64, patch_size=16, **SMALL, **NAMED)),
    lambda: T.ViTImageProcessor(size={'height': 64, 'width': 64}),
    lambda model: model.classifier,
)
classifier(
    'ConvNeXT',
    lambda: T.ConvNextForImageClassification(T.ConvNextConfig(image_size=96, hidden_sizes=[16, 24, 32, 48], depths=[1, 1, 1, 1], **NAMED)),
    lambda: T.ConvNextImageProcessor(size={'shortest_edge': 96}),
    lambda model: model.classifier,
)
classifier(
    'ResNet',
    lambda: T.ResNetForImageClassification(T.ResNetConfig(embedding_size=16, hidden_sizes=[16, 24, 32, 48], depths=[1, 1, 1, 1], **NAMED)),
    lambda: T.ConvNextImageProcessor(size={'shortest_edge': 96}, crop_pct=0.875),
    lambda model: model.classifier[-1],
)
classifier(
    'MobileNetV2',
    lambda: T.MobileNetV2ForImageClassification(T.MobileNetV2Config(image_size=96, depth_multiplier=0.35, **NAMED)),
    lambda: T.MobileNetV2ImageProcessor(size={'shortest_edge': 110}, crop_size={'height': 96, 'width': 96}),
    lambda model: model.classifier,
)
classifier(
    'DINOv2',
    lambda: T.Dinov2ForImageClassification(T.Dinov2Config(image_size=56, patch_size=14, **{key: value for key, value in SMALL.items() if key != 'intermediate_size'}, **NAMED)),
    lambda: T.BitImageProcessor(size={'shortest_edge': 64}, crop_size={'height': 56, 'width': 56}),
    lambda model: model.classifier,
)


def detector(name, make_model, make_processor, heads):
    @export(f'optimum-{name}', by='optimum-onnx', model=name, task='detect')
    @torch.no_grad()
    def make(folder):
        seeded()
        model, processor = make_model().eval(), make_processor()
        seen = processor(images=opened(), return_tensors='pt')
        inputs = {key: value for key, value in seen.items() if key in ('pixel_values', 'pixel_mask')}
        enlivened_of(model, inputs)
        for layer, highest in heads(model):
            spread(layer, caught(layer, lambda: model(**inputs)), deviation=1.5, highest=highest)
        saved(model, processor, folder, 'object-detection')
        sizes = [(each.height, each.width) for each in opened()]
        answers = processor.post_process_object_detection(model(**inputs), threshold=0.2, target_sizes=sizes)
        return {
            'boxes': [
                [
                    {'label': LABELS[int(kind)], 'score': float(score), 'box': [float(value) for value in box]}
                    for box, score, kind in zip(answer['boxes'], answer['scores'], answer['labels'])
                ]
                for answer in answers
            ]
        }


def enlivened_of(model, inputs):
    enlivened(lambda_of(model, inputs), inputs['pixel_values'])


def lambda_of(model, inputs):
    class Whole(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inside = model

        def forward(self, _):
            return self.inside(**inputs)

    return Whole()


detector(
    'YOLOS',
    lambda: T.YolosForObjectDetection(T.YolosConfig(image_size=[128, 128], patch_size=16, num_detection_tokens=20, **SMALL, **NAMED)),
    lambda: T.YolosImageProcessor(size={'height': 128, 'width': 128}),
    lambda model: [(model.class_labels_classifier.layers[-1], None)],
)
detector(
    'DETR',
    lambda: T.DetrForObjectDetection(
        T.DetrConfig(
            use_timm_backbone=False,
            use_pretrained_backbone=False,
            backbone=None,
            backbone_config=T.ResNetConfig(embedding_size=16, hidden_sizes=[16, 24, 32, 48], depths=[1, 1, 1, 1], out_features=['stage4']),
            **{'d_model': 48, 'encoder_layers': 1, 'decoder_layers': 1, 'encoder_attention_heads': 4, 'decoder_attention_heads': 4},
            **{'encoder_ffn_dim': 96, 'decoder_ffn_dim': 96, 'num_queries': 20},
            **NAMED,
        )
    ),
    lambda: T.DetrImageProcessor(size={'height': 128, 'width': 128}, do_pad=False),
    lambda model: [(model.class_labels_classifier, None)],
)


def vision(name, model_of, processor_of, task, value):
    @export(f'optimum-{name}', by='optimum-onnx', model=name, task='image-text', answers={'logitScale': '100', 'maxDistance': '1'})
    @torch.no_grad()
    def make(folder):
        seeded()
        model, processor = model_of().eval(), processor_of()
        batch = processor(images=opened(), return_tensors='pt')['pixel_values']
        saved(model, processor, folder, task)
        return {'embeddings': numbers(value(model(pixel_values=batch)))}


vision(
    'CLIP-vision',
    lambda: T.CLIPVisionModelWithProjection(T.CLIPVisionConfig(image_size=64, patch_size=16, projection_dim=64, **SMALL)),
    lambda: T.CLIPImageProcessor(size={'shortest_edge': 64}, crop_size={'height': 64, 'width': 64}),
    'feature-extraction',
    lambda answer: answer.image_embeds,
)
vision(
    'SigLIP-vision',
    lambda: T.SiglipVisionModel(T.SiglipVisionConfig(image_size=64, patch_size=16, **{**SMALL, 'hidden_size': 64})),
    lambda: T.SiglipImageProcessor(size={'height': 64, 'width': 64}),
    'feature-extraction',
    lambda answer: answer.pooler_output,
)

if __name__ == '__main__':
    run()
