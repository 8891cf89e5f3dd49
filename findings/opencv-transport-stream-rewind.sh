#!/bin/sh
# OpenCV: a rewound transport stream begins at its second group of pictures, and says that it is at picture 0.
#
# Versions: opencv-python-headless 5.0.0.93; films made with ffmpeg 9.0.2 (imageio-ffmpeg 0.8.1); Linux on x64.
#
# A film of constant rate with closed groups of 25 pictures, in order, the plainest there is. In MP4 and Matroska VideoCapture goes to
# each picture rightly. Of the same pictures in an MPEG transport stream (recordings of television, HLS segments), set(CAP_PROP_POS_FRAMES,
# 0) leads to picture 25, with the position given as 0: the first second is there when the film is read from the beginning, and
# never again. 10 leads to picture 26, with the position given as 25; from the second group on all is right. It happens where
# pictures are coded out of their order (B-pictures, which encoders use unless told otherwise), also in MPEG-2, and not without them.
# A program that counts pictures in a first pass and takes samples in a second has the wrong ones at the beginning.
#
# Output seen (asked for, position given, picture read):
#   mp4: 0 at 0 is 0, 10 at 10 is 10, 30 at 30 is 30
#   ts: 0 at 0 is 25, 10 at 25 is 26, 30 at 30 is 30
#   ts without B-pictures: 0 at 0 is 0, 10 at 10 is 10, 30 at 30 is 30
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet opencv-python-headless==5.0.0.93 imageio-ffmpeg==0.8.1 >&2
ffmpeg=$(find "$folder/python" -path '*imageio_ffmpeg/binaries/ffmpeg-*' -type f)
chmod +x "$ffmpeg"
cd "$folder"
for film in 'mp4 3' 'ts 3' 'ts 0'; do
  "$ffmpeg" -nostdin -v error -f lavfi -i testsrc2=size=64x64:rate=25 -t 4 -c:v libx264 -g 25 -flags +cgop -bf "${film#* }" \
    "film-${film#* }.${film% *}"
done
"$folder/python/bin/python" - <<'PYTHON'
import sys
import cv2

def read(path):
    film = cv2.VideoCapture(path, cv2.CAP_FFMPEG)
    pictures = []
    while (picture := film.read()[1]) is not None:
        pictures.append(picture)
    found = []
    for asked in (0, 10, 30):
        film.set(cv2.CAP_PROP_POS_FRAMES, asked)
        given = int(film.get(cv2.CAP_PROP_POS_FRAMES))
        picture = film.read()[1]
        found.append((asked, given, next(at for at, each in enumerate(pictures) if (each == picture).all())))
    return found

right = [(0, 0, 0), (10, 10, 10), (30, 30, 30)]
films = {
    "mp4": ("film-3.mp4", right),
    "ts": ("film-3.ts", [(0, 0, 25), (10, 25, 26), (30, 30, 30)]),
    "ts without B-pictures": ("film-0.ts", right),
}
as_seen = True
for name, (path, expected) in films.items():
    found = read(path)
    print(f"{name}: {', '.join(f'{asked} at {given} is {picture}' for asked, given, picture in found)}")
    as_seen = as_seen and found == expected
sys.exit(0 if as_seen else 1)
PYTHON
