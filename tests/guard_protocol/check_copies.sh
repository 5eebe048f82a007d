#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_copies.sh BINDINGS: fails where a package's copy of guard.lua is not that of guard/. With --write it makes them so.
set -eu
bindings=$1 status=0
for copy in $(find "$bindings" -name guard.lua ! -path "$bindings/guard/guard.lua" ! -path '*/node_modules/*'); do
  [ "${2-}" != --write ] || cp "$bindings/guard/guard.lua" "$copy"
  cmp "$bindings/guard/guard.lua" "$copy" || status=1
done
exit $status
