// SPDX-License-Identifier: Apache-2.0

package guard

import "context"

// An Announcement is of rows that are about to be inserted.
type Announcement struct {
	verbs verbs
	names []string
	token string
	// wanted has the count 0 unless AnnounceWaiting made it.
	wanted replicas
}

// Renew is for just before a commit that comes late: the marks hold anew. It returns whether they had held all the while. An
// error is ErrNotAnnounced: then roll back.
func (a *Announcement) Renew(ctx context.Context) (bool, error) {
	held, err := a.verbs.announce(ctx, a.names, a.token, a.wanted)
	if err != nil {
		return false, failure{ErrNotAnnounced, err}
	}
	return held, nil
}

// Release ends it, after the commit or roll-back. An error is ErrNotErased: then call again.
func (a *Announcement) Release(ctx context.Context) error {
	if err := a.verbs.erase(ctx, a.names, a.token); err != nil {
		return failure{ErrNotErased, err}
	}
	return nil
}
