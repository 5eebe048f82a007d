#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_messages.sh SOURCE: fails, naming them, where docs/troubleshooting.md quotes a message that no source prints. A row begins
# with what is quoted; a message that the sources put together of several texts is quoted up to the first name or number.
set -eu
cd "$1"
status=0
count=0
sources=$(mktemp)
trap 'rm -f "$sources"' EXIT
# Adjacent literals become one line each, as the compiler joins them.
find bloomery cli module -name '*.cc' -o -name '*.h' | sort | xargs cat | tr '\n' ' ' | sed 's/" *"//g' >"$sources"
quoted=$(sed -n 's/^| [^`|]*`\([^`]*\)`.*/\1/p' docs/troubleshooting.md)
while IFS= read -r message; do
  count=$((count + 1))
  grep -qF -- "$message" "$sources" || {
    echo "docs/troubleshooting.md: no source prints: $message" >&2
    status=1
  }
done <<END
$(echo "$quoted" | grep -v '^CLUSTER MIGRATESLOTS$')
END
[ "$count" -ge 15 ]
exit $status
