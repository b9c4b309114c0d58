#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two sites, each with a folder of its own: files never change once they have their name, so that copying new ones both
# ways makes one campaign of two. The other side may be any remote of rclone's, a bucket for example.
#
#   sync.sh HERE THERE [SECONDS]    until somebody ends it; with 0 seconds: once
#
# Let one site begin, copy, and give the workers of each numbers of their own: `--worker 0/4` and 1/4 here, 2/4 and 3/4
# there. Two workers of one name are two writers of one folder; rclone says so: "immutable file modified".
here=$1 there=$2 every=${3:-60}
status=0
# From one to the other: first what never changes, which is never overwritten. What is being written (.tmp-…) stays at
# home; of figures, which do change, the newer ones win.
copy() {
  rclone copy --immutable --size-only --filter "+ *.seg" --filter "+ /campaign.json" --filter "- *" "$1" "$2" || status=$?
  rclone copy --update --exclude '*.seg' --exclude /campaign.json --exclude '*.tmp-*' --exclude '.*' --exclude '.*/**' \
    "$1" "$2" || status=$?
}
while :; do
  copy "$here" "$there"
  copy "$there" "$here"
  [ "$every" = 0 ] && exit $status
  sleep "$every"
done
