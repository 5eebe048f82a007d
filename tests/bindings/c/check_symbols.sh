#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_symbols.sh LIBRARY HEADER: whether the library shows the functions that the header declares, by their version, and
# nothing else; and is called as programs look for it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A comment may name a function; a declaration has its type before it.
cc -E -P "$2" | tr '\n' ' ' | tr ';' '\n' | sed -n 's/.*[ *]\(bloomery_[a-z0-9_]*\)(.*/\1@@BLOOMERY_0/p' | sort >"$work/declared"
nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort >"$work/shown"
diff "$work/declared" "$work/shown" || {
  echo "left: declared in $2; right: shown by $1" >&2
  exit 1
}
[ "$(wc -l <"$work/shown")" -gt 20 ]
readelf -d "$1" | grep -q 'SONAME.*\[libbloomery.so.0\]'
