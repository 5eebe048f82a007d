// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"errors"
	"fmt"
)

// What a guard returns by itself, to be asked for with errors.Is. Errors of the loader come through as they are.
var (
	// ErrOverloaded says that no turn came among Options.QueriesAtOnce within Options.QueryWait.
	ErrOverloaded = errors.New("guard: too many queries run already")
	// ErrWaitedTooLong says that another request loads the row, for longer than Options.WaitLimit.
	ErrWaitedTooLong = errors.New("guard: another loads the row for too long")
	// ErrNotAnnounced says that the keys are not announced, or not any more: do not commit the rows.
	ErrNotAnnounced = errors.New("guard: not announced, do not commit the rows")
	// ErrNoFence says that the follower gives no fence: load from the database.
	ErrNoFence = errors.New("guard: no fence")
	// ErrBadFence says that a Fence has no source or no position. Nothing was asked.
	ErrBadFence = errors.New("guard: a fence has a source and a position, neither of which is empty")
	// ErrNotErased says that old values may still be in the cache: erase again. What was committed stays committed.
	ErrNotErased = errors.New("guard: not erased, erase again")
)

// failure is one of the errors above with its cause, both of which errors.Is finds.
type failure struct{ what, cause error }

func (f failure) Error() string        { return fmt.Sprintf("%v: %v", f.what, f.cause) }
func (f failure) Unwrap() error        { return f.cause }
func (f failure) Is(target error) bool { return target == f.what }
