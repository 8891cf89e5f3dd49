#!/bin/sh
# OpenTimelineIO: its FCPXML adapter reads 29.97 frames a second as 29, and a clip of one frame as none.
#
# Versions: opentimelineio 0.18.1, otio-fcpx-xml-adapter 1.0.0.
#
# FCPXML states times as fractions of a second: a frame of 29.97 lasts 1001/30000 s, and a clip of 50 frames 50050/30000 s. The adapter
# takes the whole part of 30000/1001 for the rate and rounds frames down at it, without an error or a warning. So a clip of 50 frames is
# read as 48 at 29 (1.655 s of 1.668), one of a single frame as 0, and a start of an hour as another frame. 23.976 and 59.94 go the
# same way (23 and 59); 24, 25, 30, 50 and 60 are read right. Who checks an FCPXML export by reading it back with it sees
# errors that the file does not have.
#
# Output seen:
#   25 frames a second: rate 25, clips of [50, 1] frames
#   29.97 frames a second: rate 29, clips of [48, 0] frames
#   23.976 frames a second: rate 23, clips of [47, 0] frames
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet opentimelineio==0.18.1 otio-fcpx-xml-adapter==1.0.0 >&2

cat > "$folder/read.py" <<'PROGRAM'
import sys
import opentimelineio as otio

def project(num, den):
    time = lambda frames: f"{frames * den}/{num}s"
    clips = "".join(
        f'<asset-clip ref="a" offset="{time(at)}" name="{name}" start="{time(0)}" duration="{time(frames)}" format="f"/>'
        for name, at, frames in (("long", 0, 50), ("short", 50, 1))
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE fcpxml><fcpxml version="1.9"><resources>'
        f'<format id="f" frameDuration="{time(1)}" width="1280" height="720"/>'
        f'<asset id="a" name="film" start="0s" duration="{time(1000)}" format="f" hasVideo="1">'
        '<media-rep kind="original-media" src="file:///film.mov"/></asset></resources>'
        f'<library><event name="e"><project name="p"><sequence format="f" duration="{time(51)}"><spine>{clips}</spine>'
        "</sequence></project></event></library></fcpxml>"
    )

def clips_in(thing):
    found = [thing] if isinstance(thing, otio.schema.Clip) else []
    if isinstance(thing, otio.schema.Timeline):
        thing = thing.tracks
    if isinstance(thing, (otio.schema.SerializableCollection, otio.core.Composition)):
        for child in thing:
            found += clips_in(child)
    return found

seen = []
for name, num, den in (("25", 25, 1), ("29.97", 30000, 1001), ("23.976", 24000, 1001)):
    clips = clips_in(otio.adapters.read_from_string(project(num, den), "fcpx_xml"))
    ranges = [clip.source_range.duration for clip in clips]
    seen.append((int(ranges[0].rate), [int(each.value) for each in ranges]))
    print(f"{name} frames a second: rate {ranges[0].rate:g}, clips of {seen[-1][1]} frames", flush=True)
sys.exit(0 if seen == [(25, [50, 1]), (29, [48, 0]), (23, [47, 0])] else 1)
PROGRAM
# In a process of its own: the library may end its interpreter when collections are taken down.
"$folder/python/bin/python" "$folder/read.py"
