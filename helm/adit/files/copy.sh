now="$(date -u +%Y-%m-%dT%H-%M-%SZ)"
rclone copyto /scratch/database.dump "$TO/database/$now.dump"
# Nothing is deleted there; what is replaced stays as an older version.
rclone copy --fast-list --transfers 8 "$FROM" "$TO/objects"
# The last word: a backup without it has not ended.
rclone size --json "$TO/objects" > /scratch/size.json
rclone copyto /scratch/size.json "$TO/database/$now.complete.json"
echo "$now: $(cat /scratch/size.json)"
