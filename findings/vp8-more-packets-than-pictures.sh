#!/bin/sh
# VP8 in WebM: there are more packets than pictures, so the quick way to count frames is wrong by several percent.
#
# Versions: ffmpeg 7.0.2 (imageio-ffmpeg 0.6.0) with its libvpx, PyAV 16.0.1; Linux on x64.
#
# Decoding a film to count its frames is slow, so tools count packets (`ffprobe -count_packets`, a demuxing loop) and take each
# for a picture. An encoder of VP8 with two passes puts in reference pictures that are never shown ("alternate reference
# frames"), and each of them is a packet and a block of the container of its own, with a time stamp of its own. VP9 has such
# pictures as well, but joins each with the next one into one packet, so there the count is right: what was tried with VP9
# misleads. The n-th packet of a VP8 film is not its n-th picture, and a frame rate made of packets and duration is too high.
#
# Output seen (12 s of 25 pictures a second):
#   vp8: 318 packets, 300 pictures
#   vp9: 300 packets, 300 pictures
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet imageio-ffmpeg==0.6.0 av==16.0.1 >&2
ffmpeg=$(find "$folder/python" -path '*imageio_ffmpeg/binaries/ffmpeg-*' -type f)
chmod +x "$ffmpeg"
cd "$folder"

# film CODEC: encodes twelve seconds in two passes, with the lag that hidden pictures need.
film() {
  for pass in 1 2; do
    "$ffmpeg" -nostdin -v error -y -f lavfi -i testsrc2=s=320x180:r=25 -t 12 -c:v "$1" -b:v 300k \
      -auto-alt-ref 1 -lag-in-frames 25 -pass "$pass" -passlogfile "$1" "$1.webm"
  done
}

# count FILE: its packets by PyAV, and the pictures that decoding gives.
count() {
  "$folder/python/bin/python" - "$1" <<'PYTHON'
import sys
import av

with av.open(sys.argv[1]) as film:
    packets = sum(1 for packet in film.demux(video=0) if packet.size)
with av.open(sys.argv[1]) as film:
    pictures = sum(1 for _ in film.decode(video=0))
print(packets, pictures)
PYTHON
}

result=0
for codec in libvpx libvpx-vp9; do
  film "$codec"
  counted=$(count "$codec.webm")
  packets=${counted% *}
  pictures=${counted#* }
  name=$([ "$codec" = libvpx ] && echo vp8 || echo vp9)
  echo "$name: $packets packets, $pictures pictures"
  [ "$pictures" -eq 300 ] || result=1
  if [ "$name" = vp8 ]; then
    [ "$packets" -gt 300 ] || result=1
  else
    [ "$packets" -eq 300 ] || result=1
  fi
done
exit $result
