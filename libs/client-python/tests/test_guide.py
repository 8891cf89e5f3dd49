"""docs/guides/for-data-scientists.md, by its own code blocks, in one namespace as in a notebook."""

import re
import shutil
from pathlib import Path

GUIDE = Path(__file__).parents[3] / "docs/guides/for-data-scientists.md"


def test_the_guide_does_what_it_says(media, tmp_path, monkeypatch):
    shutil.copytree(media, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    text = GUIDE.read_text(encoding="utf-8")
    # Blocks of another kind, such as `python not-run`, need a trainer of their own.
    blocks = [
        (text[: match.start()].count("\n") + 2, match[1]) for match in re.finditer(r"```python\n(.*?)```", text, re.S)
    ]
    assert len(blocks) > 8
    notebook: dict = {}
    for line, block in blocks:
        # Faults are shown with their line in the guide.
        exec(compile("\n" * (line - 1) + block, str(GUIDE), "exec"), notebook)
    assert "person" in set(notebook["frame"]["label"])
    assert notebook["adit"].models.get("helmets").default_version == 1
    notebook["adit"].close()
    assert notebook["job"].provenance.modules["object_scene_recognition"].models[0].version == 1
