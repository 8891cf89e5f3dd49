umask 077
pg_dump --dbname="$(cat /secrets/database/url)" --format=custom --no-owner --no-privileges --lock-wait-timeout=60s \
  --file=/scratch/database.dump
# A dump that cannot be listed is none.
pg_restore --list /scratch/database.dump > /scratch/contents
echo "$(grep -c 'TABLE DATA' /scratch/contents) tables, $(wc -c < /scratch/database.dump) bytes"
