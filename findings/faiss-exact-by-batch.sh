#!/bin/sh
# faiss: an exact index finds a vector by itself in a batch of 999, and one in four not in a batch of 1000.
#
# Version: faiss-cpu 1.15.1 (PyPI), Linux on x64.
#
# IndexFlatL2 compares with each vector and is what approximate indexes are measured against. Up to a size of the batch it sums
# squares of differences; from 128000 values (queries times dimensions) it works out x² + y² - 2xy in single
# precision, where the differences vanish if the values are far from zero compared with their spread: levels in dB, coordinates, means
# that were not taken off. So the same query has other neighbours, and another distance to itself than 0, depending on what is
# asked beside it; a range search for duplicates misses some. Tests with a few queries, and vectors of length 1, show little of it.
#
# Output seen (5000 vectors of 128 values about 100, with a standard deviation of 0.09):
#   999 queries: 100.0% found themselves, at 0.000 at most; 999 are within 0.01 of themselves
#   1000 queries: 77.2% found themselves, at 0.625 at most; 641 are within 0.01 of themselves
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet faiss-cpu==1.15.1 >&2
"$folder/python/bin/python" - <<'PYTHON'
import sys
import faiss
import numpy

vectors = numpy.random.default_rng(0).normal(100, 0.09, (5000, 128)).astype("float32")
index = faiss.IndexFlatL2(128)
index.add(vectors)

seen = {}
for count in (999, 1000):
    distances, found = index.search(vectors[:count], 1)
    bounds, _, near = index.range_search(vectors[:count], 0.01)
    itself = sum(number in near[bounds[number] : bounds[number + 1]] for number in range(count))
    share = float((found[:, 0] == numpy.arange(count)).mean())
    seen[count] = share, float(distances.max()), itself
    print(f"{count} queries: {share:.1%} found themselves, at {distances.max():.3f} at most; {itself} are within 0.01 of themselves")
sys.exit(0 if seen[999] == (1, 0, 999) and seen[1000][0] < 0.95 and seen[1000][1] > 0.1 and seen[1000][2] < 950 else 1)
PYTHON
