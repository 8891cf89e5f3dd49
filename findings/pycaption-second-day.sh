#!/bin/sh
# pycaption: captions of the second day of a recording are written at the times of the first.
#
# Version: pycaption 2.3.14.
#
# A station's or a court's recording may last longer than a day, and streams count from their start for weeks; WebVTT allows any
# number of hours from two digits. pycaption reads 25:00:01 as it should be, and writes the hour modulo 24, to WebVTT, SubRip and DFXP
# alike, so that a file that is only read and written has captions of the second day over those of the first. SAMI, which counts
# milliseconds, has them right. There is no warning, and order by time is lost.
#
# Output seen (WebVTT in):
#   23:00:01.000: WebVTT 23:00:01.000, SubRip 23:00:01,000, DFXP 23:00:01.000, SAMI 82801000 ms
#   25:00:01.000: WebVTT 01:00:01.000, SubRip 01:00:01,000, DFXP 01:00:01.000, SAMI 90001000 ms
#   100:00:01.000: WebVTT 04:00:01.000, SubRip 04:00:01,000, DFXP 04:00:01.000, SAMI 360001000 ms
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet pycaption==2.3.14 >&2
"$folder/python/bin/python" - <<'PYTHON'
import re
import sys
import pycaption

as_seen = True
for hours in (23, 25, 100):
    given = f"{hours}:00:01.000"
    captions = pycaption.WebVTTReader().read(f"WEBVTT\n\n{given} --> {hours}:00:02.000\nGood evening\n")
    texts = {
        "WebVTT": pycaption.WebVTTWriter().write(captions),
        "SubRip": pycaption.SRTWriter().write(captions),
        "DFXP": pycaption.DFXPWriter().write(captions),
    }
    times = {name: re.search(r"\d+:\d\d:\d\d[.,]\d+", text).group() for name, text in texts.items()}
    milliseconds = int(re.search(r'start="(\d+)"', pycaption.SAMIWriter().write(captions)).group(1))
    print(f"{given}: {', '.join(f'{name} {time}' for name, time in times.items())}, SAMI {milliseconds} ms")
    as_seen = as_seen and all(int(time.split(":")[0]) == hours % 24 for time in times.values())
    as_seen = as_seen and milliseconds == hours * 3_600_000 + 1000
sys.exit(0 if as_seen else 1)
PYTHON
