"""Exports two small image-text models with random weights by PyTorch, and records its outputs for 20 pictures: see README.md."""

import gzip
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from tokenizers import Tokenizer
from transformers import (
    CLIPConfig,
    CLIPImageProcessor,
    CLIPModel,
    PreTrainedTokenizerFast,
    SiglipConfig,
    SiglipImageProcessor,
    SiglipModel,
)

KIND = sys.argv[1]
HERE = Path(__file__).parent
OUT = HERE / KIND
TOKENIZERS = json.loads((HERE / "../../text-embedding/golden/tokenizers.json").read_text())
WORDS = ["red car", "green tree", "a blue sea", "Straße", "the quick brown fox"]
TEMPLATE = "This is a photo of {}."
SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
SEEN = {**SMALL, "image_size": 32, "patch_size": 8}


class Half(torch.nn.Module):
    """One encoder of a model, as a separate graph."""

    def __init__(self, run):
        super().__init__()
        self.model, self.run = model, run

    def forward(self, given):
        return self.run(given)


def picture(width, height, seed):
    """Draws waves of three colours, with integers only, so that every language draws the same."""
    y, x = np.mgrid[0:height, 0:width]
    channels = [((x * (3 + seed % 5) + y * (2 + seed % 7) * (c + 1) + seed * 37 * (c + 1)) % 256) for c in range(3)]
    return Image.fromarray(np.stack(channels, -1).astype(np.uint8))


torch.manual_seed(3)
tokens = PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(json.dumps(TOKENIZERS[KIND]["tokenizer"])))
size = max(tokens.get_vocab().values()) + 1
if KIND == "clip":
    ends = tokens.convert_tokens_to_ids("<|endoftext|>")
    text = {**SMALL, "vocab_size": size, "max_position_embeddings": 77, "eos_token_id": ends, "projection_dim": 64}
    model = CLIPModel(CLIPConfig(text_config=text, vision_config={**SEEN, "projection_dim": 64}, projection_dim=64))
    processor = CLIPImageProcessor(size={"shortest_edge": 36}, crop_size={"height": 32, "width": 32})
else:
    text = {**SMALL, "vocab_size": size, "max_position_embeddings": 64, "projection_size": 16, "pad_token_id": 1}
    model = SiglipModel(SiglipConfig(text_config=text, vision_config=SEEN))
    model.logit_scale.data.fill_(2.3)
    model.logit_bias.data.fill_(-1.5)
    processor = SiglipImageProcessor(size={"height": 32, "width": 32})
model.eval()
for name, weight in model.named_parameters():
    # With the initial weights all texts and all pictures would be nearly alike.
    if weight.dim() > 1:
        weight.data.mul_(3)


def ids_of(word):
    ids = tokens(TEMPLATE.format(word)).input_ids
    return ids if KIND == "clip" else ids[:64] + [1] * (64 - len(ids))


OUT.mkdir(exist_ok=True)
scale, bias = model.logit_scale.exp().item(), getattr(model, "logit_bias", torch.zeros(1)).item()
records = []
with torch.no_grad():
    texts = torch.cat([model.get_text_features(torch.tensor([ids_of(word)])) for word in WORDS])
    texts = texts / texts.norm(dim=-1, keepdim=True)
    random = np.random.RandomState(5)
    for seed in range(20):
        width, height = int(random.randint(33, 150)), int(random.randint(33, 120))
        pixels = processor(picture(width, height, seed), return_tensors="pt").pixel_values
        seen = model.get_image_features(pixels)
        seen = seen / seen.norm(dim=-1, keepdim=True)
        logits = (seen @ texts.T * scale + bias)[0]
        scores = logits.softmax(-1) if KIND == "clip" else logits.sigmoid()
        records.append(
            {
                **{"width": width, "height": height, "seed": seed},
                "embedding": [round(v, 5) for v in seen[0].tolist()],
                "scores": [round(v, 5) for v in scores.tolist()],
            }
        )
golden = {"words": WORDS, "template": TEMPLATE, "scale": scale, "bias": bias, "pictures": records}
(OUT / "scores.json").write_text(json.dumps(golden))

picture_half = Half(lambda x: model.get_image_features(x))
text_half = Half(lambda x: model.get_text_features(x))
names = ("image_embeds", "text_embeds") if KIND == "clip" else ("pooler_output", "pooler_output")
ids = torch.tensor([ids_of(WORDS[0])])
with tempfile.TemporaryDirectory() as folder:
    for half, given, input_name, output_name, file, open_axes in (
        (picture_half, torch.zeros(1, 3, 32, 32), "pixel_values", names[0], "vision_model", {0: "batch_size"}),
        (text_half, ids, "input_ids", names[1], "text_model", {0: "batch_size", 1: "sequence_length"}),
    ):
        path = Path(folder) / f"{file}.onnx"
        axes = {input_name: open_axes, output_name: {0: "batch_size"}}
        torch.onnx.export(
            half, (given,), str(path), input_names=[input_name], output_names=[output_name], dynamic_axes=axes,
            opset_version=17, dynamo=False,
        )
        (OUT / f"{file}.onnx.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    processor.save_pretrained(folder)
    model.config.architectures = [type(model).__name__]
    model.config.save_pretrained(folder)
    for name in ("config.json", "preprocessor_config.json"):
        (OUT / name).write_text((Path(folder) / name).read_text())
