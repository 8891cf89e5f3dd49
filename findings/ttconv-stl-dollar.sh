#!/bin/sh
# EBU-STL read by ttconv: the dollar and the currency sign change places.
#
# Versions: ttconv 1.2.3 (PyPI), Python 3, glibc's iconv for comparison.
#
# Subtitles with the code table 00 (Latin) are written in ISO 6937-2 (EBU Tech 3264, appendix 2). There the byte 24 hex, which is
# the dollar in ASCII, is the currency sign, and the dollar is A4. Programs that take the lower half for ASCII write 24 for a dollar.
# ttconv, a much used converter of broadcast subtitles, reads it that way round: 24 as "$", and A4, which a program that keeps to
# the standard writes, as "¤". So "$5" of a correct file becomes "¤5" in IMSC or WebVTT, and nothing warns; the files that
# come out right are the incorrect ones. glibc's iconv decodes ISO_6937-2 as the standard has it.
#
# Output seen:
#   ttconv: 24 is $, A4 is ¤
#   iconv:  24 is ¤, A4 is $
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet ttconv==1.2.3 >&2
cd "$folder"
"$folder/python/bin/python" - <<'PYTHON'
"""Writes a file of one subtitle, whose text is the two bytes with a letter between."""

def field(text, length):
    return text.encode("ascii").ljust(length)

gsi = b"".join([
    b"850", b"STL25.01", b"0", b"00", b"09",
    field("Prices", 32), field("", 32 * 5), field("", 16),
    b"261130", b"261130", b"00",
    b"00001", b"00001", b"001", b"40", b"23", b"1", b"00000000", b"00000000", b"1", b"1",
    field("GBR", 3), field("", 32 * 3), field("", 75), field("", 576),
])
assert len(gsi) == 1024, len(gsi)
text = bytes([0x24, ord("x"), 0xA4]).ljust(112, b"\x8f")
tti = bytes([0, 0, 0, 0xFF, 0, 0, 0, 1, 0, 0, 0, 3, 0, 20, 2, 0]) + text
with open("prices.stl", "wb") as file:
    file.write(gsi + tti)
PYTHON
"$folder/python/bin/tt" convert -i prices.stl -o prices.vtt >&2
shown=$(grep -v -e WEBVTT -e '-->' prices.vtt | tr -d '\r\n ' | sed 's/<[^>]*>//g; s/^[0-9]*//')
first=${shown%%x*}
last=${shown##*x}
echo "ttconv: 24 is $first, A4 is $last"
lower=$(printf '\044' | iconv -f ISO_6937-2 -t UTF-8)
upper=$(printf '\244' | iconv -f ISO_6937-2 -t UTF-8)
echo "iconv:  24 is $lower, A4 is $upper"
[ "$first" = '$' ] && [ "$last" = '¤' ] && [ "$lower" = '¤' ] && [ "$upper" = '$' ]
