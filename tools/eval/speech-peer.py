"""What faster-whisper hears in one file with the weights of a folder, and what the process took for it."""

import json
import os
import resource
import sys

# Threads that wait do not burn a core meanwhile: ours do not either.
os.environ["KMP_BLOCKTIME"] = "0"
from faster_whisper import WhisperModel

path, options = sys.argv[1], json.loads(sys.argv[2])
model = WhisperModel(options["weights"], device="cpu", compute_type="int8", cpu_threads=2)
beams = 5 if options["mode"] == "quality" else 1
segments, info = model.transcribe(
    path, beam_size=beams, vad_filter=True, word_timestamps=True, condition_on_previous_text=False
)
text = " ".join(segment.text.strip() for segment in segments)
used = resource.getrusage(resource.RUSAGE_SELF)
cost = {"cpuSeconds": used.ru_utime + used.ru_stime, "peakBytes": used.ru_maxrss * 1024}
print(json.dumps({"text": text, "language": info.language, **cost}))
