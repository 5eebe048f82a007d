// SPDX-License-Identifier: Apache-2.0

// fences SECONDS URL...: the fence that each URL gives in that time, a line each; or "none".
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"bloomery.dev/guard"
)

func main() {
	timeout, err := time.ParseDuration(os.Args[1] + "s")
	if err != nil {
		panic(err)
	}
	for _, url := range os.Args[2:] {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		fence, err := guard.FollowerFence(ctx, url)
		cancel()
		switch {
		case err == nil:
			fmt.Println(fence.Source, fence.Position)
		case errors.Is(err, guard.ErrNoFence):
			fmt.Println("none")
		default:
			panic(err)
		}
	}
}
