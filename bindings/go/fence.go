// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

var fenceText = regexp.MustCompile(`^([0-9a-f]{32}) ([0-9]{1,20})\n$`)

// FollowerFence asks `bloomery follow --metrics` at http://HOST:PORT how far the database is now, for those who cannot ask the
// database itself. Call it after the request came, with a context that ends. It returns ErrNoFence: then load from the database.
func FollowerFence(ctx context.Context, url string) (*Fence, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(url, "/")+"/fence", nil)
	if err != nil {
		return nil, failure{ErrNoFence, err}
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, failure{ErrNoFence, err}
	}
	defer reply.Body.Close()
	said, err := io.ReadAll(io.LimitReader(reply.Body, 500))
	if err != nil {
		return nil, failure{ErrNoFence, err}
	}
	found := fenceText.FindSubmatch(said)
	if reply.StatusCode != http.StatusOK || found == nil {
		return nil, failure{ErrNoFence, fmt.Errorf("%s: %q", reply.Status, said)}
	}
	return &Fence{Source: string(found[1]), Position: string(found[2])}, nil
}
