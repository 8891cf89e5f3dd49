#!/bin/sh
# mpd-parser: of a DASH film whose times do not begin at 0, it lists too few segments, or none; and asks for times that nobody offers.
#
# Version: mpd-parser 1.4.0 (npm), the reader of manifests in Video.js.
#
# <S t="10000" d="4000" r="-1"/> means segments of 4 s to the end of the period (ISO/IEC 23009-1), and presentationTimeOffset says which
# time of the media is the beginning of the period: cut films and later periods have one. The parser divides the length of the period less
# the first time by the length of a segment and forgets the offset, so a period of 20 s that begins at 10 s has 3 segments of 5, and
# one that begins at 20 s has none; nothing is said. The same segments with r="4" are all there. And $Time$ is a number of
# JavaScript: with 10,000,000 ticks a second since 1970, which live packagers use, it is rounded to an even one, and so the
# address is that of no segment.
#
# Output seen (20 s of segments of 4 s):
#   begins at 0 s: 5 segments with r="-1", 5 with r="4"
#   begins at 10 s: 3 segments with r="-1", 5 with r="4"
#   begins at 20 s: 0 segments with r="-1", 5 with r="4"
#   t="17000000000000001": 17000000000000000.m4s
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund mpd-parser@1.4.0 >&2

cat > manifest.mjs <<'PROGRAM'
import { parse } from 'mpd-parser';

const segments = (timescale, begin, duration, repeats) => {
  const manifest = `<?xml version="1.0"?>
    <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT20S" minBufferTime="PT2S"
      profiles="urn:mpeg:dash:profile:isoff-live:2011"><Period id="1" start="PT0S"><AdaptationSet mimeType="video/mp4">
    <SegmentTemplate timescale="${timescale}" presentationTimeOffset="${begin}" media="$Time$.m4s" initialization="init.mp4">
      <SegmentTimeline><S t="${begin}" d="${duration}" r="${repeats}"/></SegmentTimeline></SegmentTemplate>
    <Representation id="v" bandwidth="1000" width="64" height="64" codecs="avc1.4d401f"/></AdaptationSet></Period></MPD>`;
  return parse(manifest, { manifestUri: 'https://media.example/film.mpd' }).playlists[0].segments;
};

const counts = [0, 10, 20].map((seconds) => {
  const [toTheEnd, counted] = [-1, 4].map((repeats) => segments(1000, seconds * 1000, 4000, repeats).length);
  console.log(`begins at ${seconds} s: ${toTheEnd} segments with r="-1", ${counted} with r="4"`);
  return [toTheEnd, counted];
});
const { uri } = segments(10_000_000, '17000000000000001', 40_000_000, 4)[0];
console.log(`t="17000000000000001": ${uri}`);
process.exit(String(counts) === '5,5,3,5,0,5' && uri === '17000000000000000.m4s' ? 0 : 1);
PROGRAM
node manifest.mjs
