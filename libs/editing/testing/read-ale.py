"""Reads logs from standard input, a list of texts as JSON; writes rate, tape, start and length of each clip of each."""

import json
import sys

import opentimelineio as otio


def clips(text):
    # What is in a collection goes with it.
    collection = otio.adapters.read_from_string(text, "ale")
    found = []
    for index in range(len(collection)):
        clip = collection[index]
        span = clip.source_range
        found.append(
            [span.start_time.rate, clip.metadata["ALE"]["Tape"], span.start_time.value, span.duration.value]
        )
    return found


json.dump([clips(text) for text in json.load(sys.stdin)], sys.stdout)
