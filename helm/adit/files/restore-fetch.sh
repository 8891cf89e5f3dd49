# A backup without its last word has not ended.
case "$BACKUP" in
  latest) name="$(rclone lsf "$FROM/database" --include '*.complete.json' | sort | tail -n 1)" && name="${name%.complete.json}" ;;
  *) name="$BACKUP" ;;
esac
if [ -z "$name" ] || [ -z "$(rclone lsf "$FROM/database/$name.complete.json" 2> /dev/null)" ]; then
  echo "$FROM/database has no whole backup${name:+ $name}: a .dump with its .complete.json beside it." >&2
  exit 1
fi
rclone copyto "$FROM/database/$name.dump" /scratch/database.dump
echo "restoring $name, $(wc -c < /scratch/database.dump) bytes of database"
