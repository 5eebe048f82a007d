// SPDX-License-Identifier: Apache-2.0

// near_filter LOCATION KEY...: prints the keys that the filter may have. mayContain is what stands before a guard in the process:
// guard.Options{Near: filter.mayContain}. It is built with libbloomery-dev, or CGO_CFLAGS and CGO_LDFLAGS that name another folder.
package main

// #cgo LDFLAGS: -lbloomery
// #include <bloomery/c/bloomery.h>
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

type nearFilter struct{ filter *C.bloomery_filter }

func open(location string) (*nearFilter, error) {
	runtime.LockOSThread() // the message is the thread's
	defer runtime.UnlockOSThread()
	text := C.CString(location)
	defer C.free(unsafe.Pointer(text))
	if filter := C.bloomery_open(text, C.BLOOMERY_READ, nil); filter != nil {
		return &nearFilter{filter}, nil
	}
	return nil, errors.New(C.GoString(C.bloomery_message()))
}

func (n *nearFilter) mayContain(key string) bool {
	bytes := []byte(key + "\x00") // so that there is a first byte of a key of none
	return C.bloomery_ask(n.filter, unsafe.Pointer(&bytes[0]), C.size_t(len(key))) != C.BLOOMERY_ABSENT
}

func main() {
	filter, err := open(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	defer C.bloomery_close(filter.filter)
	for _, key := range os.Args[2:] {
		if filter.mayContain(key) {
			fmt.Println(key)
		}
	}
}
