#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_paths.sh SOURCE: fails, naming them, where a document links to a file that is not there, or names a path of the tree
# that is not.
set -eu
cd "$1"
status=0
for document in *.md docs/*.md docs/architecture/*.md docs/contributing/*.md docs/how_to/*.md; do
  folder=$(dirname "$document")
  # Links outside code, without those to the web and to a heading of the same page.
  for target in $(sed '/^```/,/^```/d' "$document" | grep -oE '\]\([^)# ]+' | sed 's/^](//' | grep -v '^[a-z]*:' || :); do
    [ -e "$folder/$target" ] || {
      echo "$document links to $target, which is not there" >&2
      status=1
    }
  done
  for path in $(grep -oE '`(bloomery|bindings|cli|module|tests|benchmarks|tools|cmake|examples|packaging|docs)/[A-Za-z0-9_./+]+`' "$document" |
    tr -d '`' || :); do
    # The package for npm is called bloomery, too, and says which entries it has.
    [ -e "$path" ] || grep -qF "\"./${path#bloomery/}\":" bindings/javascript/package/package.json.in || {
      echo "$document names $path, which is not there" >&2
      status=1
    }
  done
done
exit $status
