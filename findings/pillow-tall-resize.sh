#!/bin/sh
# Pillow 13: tall pictures are resized to other numbers than by Pillow 12; wide and square ones to the same.
#
# Versions: pillow 12.3.0 and 13.0.0.
#
# Image.resize works on rows and columns one after the other and rounds to 8 bits between. Until 12 rows come first, always. 13 begins
# with the columns where that is less work: of a picture clearly taller than wide that becomes smaller. So with the same filter a
# sixth to a quarter of the values differ, by up to 3, and a picture and its transposed copy no longer go the same way. A network that
# was trained or checked with pictures by Pillow 12 sees others by 13, in portrait format alone; recorded embeddings and golden
# files of tall pictures move with the upgrade, and whoever resizes as Pillow does has two Pillows to follow.
#
# Output seen:
#   64x200 to 48x48, bilinear: 16.6 % of the values differ, by 1 at most
#   64x200 to 48x48, bicubic: 22.4 % of the values differ, by 3 at most
#   200x64 to 48x48, bilinear: 0.0 % of the values differ, by 0 at most
#   200x64 to 48x48, bicubic: 0.0 % of the values differ, by 0 at most
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/resize.py" <<'PROGRAM'
import sys
from PIL import Image

width, height, name, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
values = bytes(
    (x * 7 + y * 13 + c * 5 + (x * y) % 17 * 9) % 256 for y in range(height) for x in range(width) for c in range(3)
)
picture = Image.frombytes("RGB", (width, height), values)
open(path, "wb").write(picture.resize((48, 48), Image.Resampling[name.upper()]).tobytes())
PROGRAM
for version in 12.3.0 13.0.0; do
  python3 -m venv "$folder/$version"
  "$folder/$version/bin/pip" install --quiet "pillow==$version" >&2
done
result=0
for size in '64 200' '200 64'; do
  for filter in bilinear bicubic; do
    # shellcheck disable=SC2086 -- two words
    for version in 12.3.0 13.0.0; do
      "$folder/$version/bin/python" "$folder/resize.py" $size $filter "$folder/of-$version"
    done
    python3 - "$folder" "$size" $filter <<'PROGRAM' || result=1
import sys

folder, size, name = sys.argv[1:]
first, then = (open(f"{folder}/of-{version}", "rb").read() for version in ("12.3.0", "13.0.0"))
apart = [abs(a - b) for a, b in zip(first, then)]
share = 100 * sum(each > 0 for each in apart) / len(apart)
print(f"{size.replace(' ', 'x')} to 48x48, {name}: {share:.1f} % of the values differ, by {max(apart)} at most")
is_tall = size == "64 200"
sys.exit(0 if (10 < share < 30 and max(apart) <= 4 if is_tall else share == 0) else 1)
PROGRAM
  done
done
exit $result
