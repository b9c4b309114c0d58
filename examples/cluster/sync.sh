#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two sites, each with a folder of its own: files never change once they have their name, so that copying new ones both
# ways makes one campaign of two. The other side may be any remote of rclone's, a bucket for example.
#
#   sync.sh HERE THERE [SECONDS]    until somebody ends it; with 0 seconds: once
here=$1 there=$2 every=${3:-60}
while :; do
  # What is being written (.tmp-…) stays at home; heartbeats do change, and the newer one wins.
  rclone copy --exclude '*.tmp-*' --exclude '.*' --exclude '.*/**' --update "$here" "$there"
  rclone copy --exclude '*.tmp-*' --exclude '.*' --exclude '.*/**' --update "$there" "$here"
  [ "$every" = 0 ] && exit
  sleep "$every"
done
