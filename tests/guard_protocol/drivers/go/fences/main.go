// SPDX-License-Identifier: Apache-2.0

// The fence that each URL gives, a line each; or "none".
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"bloomery.dev/guard"
)

func main() {
	for _, url := range os.Args[1:] {
		fence, err := guard.FollowerFence(context.Background(), url)
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
