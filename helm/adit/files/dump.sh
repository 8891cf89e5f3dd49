umask 077
# The engine takes public authorities unless it is told of a private one; libpq looks for a file at home.
case "$(cat /secrets/database/url)" in *sslmode=verify-full*) export PGSSLROOTCERT="${PGSSLROOTCERT:-system}" ;; esac
pg_dump --dbname="$(cat /secrets/database/url)" --format=custom --no-owner --no-privileges --lock-wait-timeout=60s \
  --file=/scratch/database.dump || {
  echo "No dump. If pg_dump is older than the server, set database.majorVersion of the chart to the server's." >&2
  exit 1
}
# A dump that cannot be listed is none.
pg_restore --list /scratch/database.dump > /scratch/contents
echo "$(grep -c 'TABLE DATA' /scratch/contents) tables, $(wc -c < /scratch/database.dump) bytes"
