# Last of all and in one transaction: an attempt that failed leaves an empty database for the next.
url="$(cat /secrets/migration/url 2> /dev/null || cat /secrets/database/url)"
case "$url" in *sslmode=verify-full*) export PGSSLROOTCERT="${PGSSLROOTCERT:-system}" ;; esac
tables="$(psql --no-psqlrc --tuples-only --no-align --dbname="$url" --command="SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")"
if [ "$tables" != 0 ]; then
  echo "The database has $tables tables: a backup is restored into an empty one alone." >&2
  exit 1
fi
pg_restore --exit-on-error --single-transaction --no-owner --no-privileges --dbname="$url" /scratch/database.dump
echo "restored"
