# What is there already, of an attempt before, is not copied again.
if [ "$MANAGE_BUCKET" = true ]; then rclone mkdir --s3-no-check-bucket=false "$BUCKET"; fi
rclone copy --fast-list --transfers 8 "$FROM/objects" "$TO"
rclone size --json "$TO"
