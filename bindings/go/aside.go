// SPDX-License-Identifier: Apache-2.0

package guard

import "context"

// aside is a context with the values of another that is not over when that one is: leases are given back all the same.
func aside(ctx context.Context) context.Context { return detached{context.Background(), ctx} }

type detached struct {
	context.Context
	values context.Context
}

func (d detached) Value(key any) any { return d.values.Value(key) }
