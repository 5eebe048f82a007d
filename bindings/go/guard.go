// SPDX-License-Identifier: Apache-2.0

// Package guard is the cache guard for Go: filter, cache and single flight on one Redis or Valkey server, shared with every
// other language. docs/guard_protocol.md says what it does on the server, docs/go.md how it is used. It has no dependencies.
package guard

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"sync"
	"time"
)

// Load loads the row of a key; nil where there is none.
type Load[V any] func(ctx context.Context, key string) (*V, error)

// LoadMany loads the rows of keys; those that have none are not in the map.
type LoadMany[V any] func(ctx context.Context, keys []string) (map[string]V, error)

// Fence is how far the database was: "no such row" is of that moment, or later.
type Fence struct{ Source, Position string }

// Counters are what a guard counted since it was made.
type Counters struct {
	Absents, Values, None, Loads, Waits, Opens, Unknowns, Late, Overloaded, ServerErrors, Skips, LoaderErrors, Refreshes uint64
}

// A Guard is for many goroutines at once.
type Guard[V any] struct {
	verbs   verbs
	codec   Codec[V]
	options Options
	turns   chan struct{}

	mutex                 sync.Mutex
	counters              Counters
	identity              string
	nextOpen, pausedUntil time.Time
	failures              int
}

// New makes a guard whose values are JSON. Guards of one name share rows; a name has no braces.
func New[V any](conn Conn, name string, options Options) (*Guard[V], error) {
	return NewWithCodec[V](conn, name, JSON[V]{}, options)
}

// NewWithCodec makes a guard with a codec of its own.
func NewWithCodec[V any](conn Conn, name string, codec Codec[V], options Options) (*Guard[V], error) {
	if err := options.complete(name); err != nil {
		return nil, err
	}
	g := &Guard[V]{codec: codec, options: options, turns: make(chan struct{}, options.QueriesAtOnce)}
	g.verbs = verbs{conn, name, &g.options}
	return g, nil
}

// Get returns the row of the key, from the cache or by load; nil where there is none.
func (g *Guard[V]) Get(ctx context.Context, key string, load Load[V]) (*V, error) {
	return g.GetBehind(ctx, nil, key, load)
}

// GetBehind is Get behind a fence. One without a source or a position is ErrBadFence; nil is no fence.
func (g *Guard[V]) GetBehind(ctx context.Context, fence *Fence, key string, load Load[V]) (*V, error) {
	if fence != nil && (fence.Source == "" || fence.Position == "") { // on the server it would be none
		return nil, ErrBadFence
	}
	rows, err := g.rows(ctx, []string{key}, func(ctx context.Context, keys []string) (map[string]V, error) {
		row, err := load(ctx, key)
		if row == nil || err != nil {
			return nil, err
		}
		return map[string]V{key: *row}, nil
	}, fence)
	if row, isThere := rows[key]; isThere && err == nil {
		return &row, nil
	}
	return nil, err
}

// GetMany returns the rows that there are.
func (g *Guard[V]) GetMany(ctx context.Context, keys []string, load LoadMany[V]) (map[string]V, error) {
	return g.rows(ctx, unique(keys), load, nil)
}

// Announce announces rows before they are inserted. An error is ErrNotAnnounced: then do not insert.
func (g *Guard[V]) Announce(ctx context.Context, keys ...string) (*Announcement, error) {
	return g.announce(ctx, replicas{}, keys)
}

// AnnounceWaiting announces, and returns when so many replicas have it. If fewer have it within limit, the error is
// ErrNotAnnounced. The Conn must be InOrder. Renew waits as well.
func (g *Guard[V]) AnnounceWaiting(ctx context.Context, count int, limit time.Duration, keys ...string) (*Announcement, error) {
	if count < 1 || count > 1_000_000 || limit < time.Millisecond || limit > longestLife {
		return nil, fmt.Errorf("guard: %d replicas within %v; allowed are 1 to 1,000,000, and 1 ms to 10 years", count, limit)
	}
	return g.announce(ctx, replicas{count, limit}, keys)
}

func (g *Guard[V]) announce(ctx context.Context, wanted replicas, keys []string) (*Announcement, error) {
	mark := &Announcement{g.verbs, unique(keys), token(), wanted}
	if _, err := mark.Renew(ctx); err != nil {
		_ = mark.Release(aside(ctx)) // else its marks end by themselves
		return nil, err
	}
	return mark, nil
}

// Erase is for after the commit of changes and deletions. An error is ErrNotErased: then call again.
func (g *Guard[V]) Erase(ctx context.Context, keys ...string) error {
	if err := g.verbs.erase(ctx, unique(keys), ""); err != nil {
		return failure{ErrNotErased, err}
	}
	return nil
}

// Open reads the filter's identity, also anew after a rebuild: whoever calls vouches that the filter is whole.
func (g *Guard[V]) Open(ctx context.Context) error {
	identity, err := g.verbs.open(ctx)
	if err == nil {
		g.change(func() { g.identity = identity })
	}
	return err
}

// Counters is a snapshot.
func (g *Guard[V]) Counters() Counters {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.counters
}

func (g *Guard[V]) change(what func()) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	what()
}

// round is one question to the server, sorted by what is to be done.
type round struct {
	leases               map[string]string
	leased, opens, again []string
}

func (g *Guard[V]) rows(ctx context.Context, names []string, load LoadMany[V], fence *Fence) (map[string]V, error) {
	rows, waiting := map[string]V{}, names
	if g.options.Near != nil && g.options.NearIsFinal {
		waiting = nil
		for _, name := range names {
			if g.options.Near(name) {
				waiting = append(waiting, name)
			}
		}
		g.change(func() { g.counters.Absents += uint64(len(names) - len(waiting)) })
	}
	deadline, pause, unreadable := time.Now().Add(g.options.WaitLimit), time.Millisecond, map[string]bool{}
	for len(waiting) > 0 {
		answers, err := g.ask(ctx, waiting, fence)
		if err != nil {
			return nil, err
		}
		sorted := round{leases: map[string]string{}}
		for i, name := range waiting {
			g.settle(ctx, name, answers[i], rows, &sorted, unreadable, load, fence)
		}
		if len(sorted.leases)+len(sorted.opens) > 0 {
			found, err := g.load(ctx, sorted.leases, append(sorted.leased, sorted.opens...), load, fence)
			if err != nil {
				return nil, err
			}
			for name, row := range found {
				rows[name] = row
			}
		}
		waiting = sorted.again
		if len(waiting) > 0 && len(sorted.leases) == 0 {
			if !time.Now().Before(deadline) {
				return nil, fmt.Errorf("%w: %q", ErrWaitedTooLong, waiting[0])
			}
			if err := sleep(ctx, time.Duration(float64(pause)*(0.8+0.2*rand.Float64()))); err != nil {
				return nil, err
			}
			if pause = pause * 3 / 2; pause > 12*time.Millisecond {
				pause = 12 * time.Millisecond
			}
		}
	}
	return rows, nil
}

func (g *Guard[V]) settle(ctx context.Context, name string, said answer, rows map[string]V, sorted *round, unreadable map[string]bool, load LoadMany[V], fence *Fence) {
	if said.presence == "unknown" {
		g.change(func() { g.counters.Unknowns++ })
	}
	switch said.word {
	case "value":
		row, err := g.codec.Decode([]byte(said.value))
		if err != nil { // other bytes than this codec's
			if unreadable[name] {
				sorted.opens = append(sorted.opens, name)
			} else {
				sorted.again = append(sorted.again, name)
			}
			unreadable[name] = true
			g.attempt(g.verbs.erase(ctx, []string{name}, ""))
			return
		}
		rows[name] = row
		g.change(func() { g.counters.Values++ })
		if said.lease != "" {
			g.change(func() { g.counters.Refreshes++ })
			go g.refresh(aside(ctx), name, said.lease, load, fence)
		}
	case "absent":
		g.change(func() { g.counters.Absents++ })
	case "none":
		g.change(func() { g.counters.None++ })
	case "lease":
		sorted.leases[name] = said.lease
		sorted.leased = append(sorted.leased, name)
	case "wait":
		g.change(func() { g.counters.Waits++ })
		sorted.again = append(sorted.again, name)
	default:
		g.change(func() { g.counters.Opens++ })
		sorted.opens = append(sorted.opens, name)
	}
}

// result is what the server answers to get.
type result struct {
	answers []answer
	err     error
}

// ask returns the server's answers, in order. Where it cannot be asked, each is to be loaded, and not written. An error is the
// context's.
func (g *Guard[V]) ask(ctx context.Context, names []string, fence *Fence) ([]answer, error) {
	unasked := make([]answer, len(names))
	for i := range unasked {
		unasked[i] = answer{word: "open", presence: "unknown"}
	}
	var isPaused, opens bool
	g.change(func() {
		if isPaused = time.Now().Before(g.pausedUntil); isPaused {
			g.counters.Skips += uint64(len(names))
		} else if opens = g.options.Filter != "" && g.identity == "" && time.Now().After(g.nextOpen); opens {
			g.nextOpen = time.Now().Add(time.Second)
		}
	})
	if isPaused {
		return unasked, nil
	}
	if opens {
		g.attempt(g.Open(ctx))
	}
	isNear := g.options.Near != nil && fence == nil
	for i := 0; isNear && i < len(names); i++ {
		isNear = g.options.Near(names[i])
	}
	var identity string
	g.change(func() { identity = g.identity })
	asked := make(chan result, 1)
	go func() { // a request that is under way goes on when its context is over, and what it leased is given back
		answers, err := g.verbs.get(aside(ctx), names, g.options.Filter != "" && !isNear, identity, fence)
		asked <- result{answers, err}
	}()
	var got result
	select {
	case got = <-asked:
	case <-ctx.Done():
		go func() { g.giveBack((<-asked).answers, names) }()
		return nil, ctx.Err()
	}
	g.change(func() {
		if got.err == nil {
			g.failures = 0
			return
		}
		g.counters.ServerErrors++
		if g.failures++; g.failures >= g.options.FailuresInARow {
			g.pausedUntil = time.Now().Add(g.options.FailurePause)
		}
	})
	if got.err != nil {
		go g.giveBack(got.answers, names)
		return unasked, nil
	}
	return got.answers, nil
}

// giveBack ends the leases of answers that nobody waits for any more.
func (g *Guard[V]) giveBack(answers []answer, names []string) {
	leases := map[string]string{}
	for i, each := range answers {
		if each.lease != "" {
			leases[names[i]] = each.lease
		}
	}
	g.attempt(g.verbs.drop(context.Background(), leases))
}

// load asks the loader for the names, writes those that are leased, and returns the rows.
func (g *Guard[V]) load(ctx context.Context, leases map[string]string, names []string, load LoadMany[V], fence *Fence) (rows map[string]V, err error) {
	isAsked, done := false, false
	defer func() { // also where the loader panics
		if isAsked && !done {
			g.change(func() { g.counters.LoaderErrors++ })
		}
		if !done {
			g.attempt(g.verbs.drop(aside(ctx), leases))
		}
	}()
	if err = g.takeTurn(ctx); err != nil {
		return nil, err
	}
	isAsked = true
	if rows, err = g.query(ctx, names, load); err != nil {
		return nil, err
	}
	var puts []put
	unwritten := map[string]string{}
	for name, lease := range leases {
		row, isRow := rows[name]
		if !isRow && (fence != nil || g.options.ReadsReplica) {
			unwritten[name] = lease
			continue
		}
		one := put{name: name, lease: lease, isRow: isRow}
		if isRow {
			if one.value, err = g.codec.Encode(row); err != nil {
				return nil, fmt.Errorf("%w (the key is %q)", err, name)
			}
		}
		puts = append(puts, one)
	}
	done = true
	g.attempt(g.verbs.drop(aside(ctx), unwritten))
	answers, err := g.verbs.put(aside(ctx), puts)
	g.attempt(err)
	for _, each := range answers {
		g.change(func() {
			if each == int64(0) {
				g.counters.Late++
			} else if each != int64(1) {
				g.counters.ServerErrors++
			}
		})
	}
	return rows, nil
}

// refresh loads a row anew, under a lease that came with its old value. Errors and panics are counted, no more.
func (g *Guard[V]) refresh(ctx context.Context, name, lease string, load LoadMany[V], fence *Fence) {
	defer func() { _ = recover() }() // it would end the process
	_, _ = g.load(ctx, map[string]string{name: lease}, []string{name}, load, fence)
}

func (g *Guard[V]) takeTurn(ctx context.Context) error {
	turn, cancel := context.WithTimeout(ctx, g.options.QueryWait)
	defer cancel()
	select {
	case g.turns <- struct{}{}:
		return nil
	case <-turn.Done():
		if ctx.Err() != nil {
			return ctx.Err()
		}
		g.change(func() { g.counters.Overloaded++ })
		return ErrOverloaded
	}
}

// query calls the loader, and ends the turn.
func (g *Guard[V]) query(ctx context.Context, names []string, load LoadMany[V]) (rows map[string]V, err error) {
	defer func() { <-g.turns }()
	g.change(func() { g.counters.Loads++ })
	found, err := load(ctx, names)
	if err != nil {
		return nil, err
	}
	rows = make(map[string]V, len(names))
	for _, name := range names {
		if row, isThere := found[name]; isThere {
			rows[name] = row
		}
	}
	return rows, nil
}

func (g *Guard[V]) attempt(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		g.change(func() { g.counters.ServerErrors++ })
	}
}
