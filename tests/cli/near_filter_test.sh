#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# near_filter_test.sh SOURCE COMMAND LIBRARIES LANGUAGE: the example of a filter in the process over the C interface, for php or go,
# asks a file that the command made. Exits with 77 where the language is not here.
set -eu
source=$1 command=$2 libraries=$3 language=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export LD_LIBRARY_PATH="$libraries"
"$command" create users.bloom -n 1000 -p 0.000001 --as text
printf 'alice\nbob\n42\n' | "$command" insert users.bloom
case $language in
  php)
    php -r 'exit(extension_loaded("FFI") ? 0 : 77);' 2>/dev/null || exit 77
    set -- php "$source/bindings/c/examples/near_filter.php"
    ;;
  go)
    command -v go >/dev/null && command -v gcc >/dev/null || exit 77
    # The module's path is of no consequence to one file.
    export GOFLAGS='' GO111MODULE=off GOCACHE="${GOCACHE:-$folder/cache}" CGO_CFLAGS="-I$source/bindings/c/include" CGO_LDFLAGS="-L$libraries"
    go build -o near_filter "$source/bindings/c/examples/near_filter.go"
    set -- ./near_filter
    ;;
esac
[ "$("$@" users.bloom alice bob 42 '' carol dave 43)" = "$(printf 'alice\nbob\n42\n')" ]
status=0
said=$("$@" missing.bloom alice 2>&1) || status=$?
[ "$status" -ne 0 ]
case $said in *missing.bloom*) ;; *) exit 1 ;; esac
