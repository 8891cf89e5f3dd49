#!/bin/sh
# jiwer: a line break between two words makes one word of them; an empty line, a space before it, or a break of Windows does not.
#
# Version: jiwer 4.0.0.
#
# wer() is the usual measure of speech recognition. Its standard clean-up replaces two or more white characters in a row by a space
# and then splits at spaces alone. So "one\ntwo" stays a single word, as do words with a tab or a no-break space between, whereas
# "one\n\ntwo", "one \ntwo" and "one\r\ntwo" are two. The words of a perfect transcript that is read from a file with line ends of Unix
# count as wrong at each line end, twice; saved with line ends of Windows, the same file is perfect. With subtitles as the reference,
# which break a line after six or seven words, a perfect recogniser has an error rate of a quarter or more.
#
# Output seen (against "one two three four"):
#   'one two three four': 0.00
#   'one two\nthree four': 0.50
#   'one two\tthree four': 0.50
#   'one two\xa0three four': 0.50
#   'one two\n\nthree four': 0.00
#   'one two \nthree four': 0.00
#   'one two\r\nthree four': 0.00
#
# Exits with 1 when it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet jiwer==4.0.0 >&2
"$folder/python/bin/python" - <<'PYTHON'
import sys
import jiwer

expected = {" ": 0, "\n": 0.5, "\t": 0.5, "\u00a0": 0.5, "\n\n": 0, " \n": 0, "\r\n": 0}
rates = {between: jiwer.wer("one two three four", f"one two{between}three four") for between in expected}
for between, rate in rates.items():
    print(f"{f'one two{between}three four'!r}: {rate:.2f}")
sys.exit(0 if rates == expected else 1)
PYTHON
