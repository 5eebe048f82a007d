// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bloomery.dev/guard"
	"github.com/gomodule/redigo/redis"
)

// What the guard for Go has beyond the scenes. GUARD_PORT is an empty server's.
var (
	ctx    = context.Background()
	server = func() pool {
		port, _ := strconv.Atoi(os.Getenv("GUARD_PORT"))
		return connect(port)
	}()
)

func ask(t *testing.T, words ...any) any {
	t.Helper()
	reply, err := server.Do(ctx, words...)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func made(t *testing.T, options guard.Options) *guard.Guard[string] {
	t.Helper()
	g, err := guard.New[string](server, t.Name(), options)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func leases(t *testing.T) int {
	t.Helper()
	keys, _ := redis.Strings(ask(t, "KEYS", t.Name()+":*lease"), nil)
	return len(keys)
}

func until(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not come")
		}
	}
}

func same(t *testing.T, wanted, got any) {
	t.Helper()
	if fmt.Sprint(wanted) != fmt.Sprint(got) {
		t.Fatalf("expected %v, but it is %v", wanted, got)
	}
}

func never(context.Context, string) (*string, error) { panic("it is not loaded") }

func always(row string) guard.Load[string] {
	return func(context.Context, string) (*string, error) { return &row, nil }
}

func row(t *testing.T, found *string, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if found == nil {
		return "none"
	}
	return *found
}

func TestManyMissOneKeyAndOneLoads(t *testing.T) {
	g, gone, loads := made(t, guard.Options{}), make(chan struct{}), int32(0)
	var all sync.WaitGroup
	for i := 0; i < 64; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			found, err := g.Get(ctx, "a", func(context.Context, string) (*string, error) {
				atomic.AddInt32(&loads, 1)
				<-gone
				row := "row"
				return &row, nil
			})
			if err != nil || *found != "row" {
				t.Error(found, err)
			}
		}()
	}
	until(t, func() bool { return g.Counters().Waits >= 63 })
	close(gone)
	all.Wait()
	same(t, 1, loads)
}

func TestAContextThatIsOverGivesTheLeaseBack(t *testing.T) {
	g := made(t, guard.Options{})
	stopping, stop := context.WithCancel(ctx)
	_, err := g.Get(stopping, "a", func(ctx context.Context, _ string) (*string, error) {
		stop()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	same(t, true, errors.Is(err, context.Canceled))
	same(t, 0, leases(t))
	for i := 0; i < 200; i++ { // at any moment of the question
		soon, cancel := context.WithTimeout(ctx, time.Duration(i*3)*time.Microsecond)
		_, _ = g.Get(soon, strconv.Itoa(i), func(ctx context.Context, _ string) (*string, error) { return nil, errors.New("no") })
		cancel()
	}
	until(t, func() bool { return leases(t) == 0 })
	ask(t, "SET", t.Name()+":{=busy}:lease", "Lffffffffffffffffffffffffffffffff0000000000000000", "PX", 60000)
	soon, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err = g.Get(soon, "busy", never)
	same(t, true, errors.Is(err, context.DeadlineExceeded))
}

func TestALoaderThatPanicsGivesTheLeaseBack(t *testing.T) {
	g := made(t, guard.Options{QueriesAtOnce: 1})
	func() {
		defer func() { _ = recover() }()
		_, _ = g.Get(ctx, "a", never)
	}()
	same(t, 0, leases(t))
	found, err := g.Get(ctx, "a", always("x"))
	same(t, "x", row(t, found, err))
}

func TestTurns(t *testing.T) {
	g := made(t, guard.Options{QueriesAtOnce: 1, QueryWait: 20 * time.Millisecond})
	found, err := g.Get(ctx, "a", func(context.Context, string) (*string, error) {
		_, err := g.Get(ctx, "b", never)
		same(t, true, errors.Is(err, guard.ErrOverloaded))
		row := "a"
		return &row, nil
	})
	same(t, "a", row(t, found, err))
	same(t, 0, leases(t))
}

func TestRefreshingBeside(t *testing.T) {
	g := made(t, guard.Options{RefreshAhead: 0.5})
	_, _ = g.Get(ctx, "a", always("old"))
	ask(t, "SETRANGE", t.Name()+":{=a}", 1, "0000000000001")
	found, err := g.Get(ctx, "a", always("new"))
	same(t, "old", row(t, found, err))
	until(t, func() bool { found, _ := g.Get(ctx, "a", never); return *found == "new" })
}

func refreshed(t *testing.T, fence *guard.Fence, load guard.Load[string]) *guard.Guard[string] {
	t.Helper()
	g := made(t, guard.Options{RefreshAhead: 0.5})
	_, _ = g.Get(ctx, "a", always("old"))
	ask(t, "SETRANGE", t.Name()+":{=a}", 1, "0000000000001")
	found, err := g.GetBehind(ctx, fence, "a", load)
	same(t, "old", row(t, found, err))
	until(t, func() bool { return g.Counters().Loads == 2 && leases(t) == 0 })
	return g
}

func TestALoaderThatPanicsInRefreshing(t *testing.T) {
	same(t, 1, refreshed(t, nil, never).Counters().LoaderErrors)
}

func TestNoNegativeEntryIsPutByRefreshingBehindAFence(t *testing.T) {
	refreshed(t, &guard.Fence{Source: "s", Position: "7"}, func(context.Context, string) (*string, error) { return nil, nil })
	same(t, `V0000000000001"old"`, string(ask(t, "GET", t.Name()+":{=a}").([]byte)))
}

func TestCounters(t *testing.T) {
	g := made(t, guard.Options{QueriesAtOnce: 1, QueryWait: time.Millisecond})
	_, _ = g.Get(ctx, "a", func(context.Context, string) (*string, error) { return nil, errors.New("no") })
	func() {
		defer func() { _ = recover() }()
		_, _ = g.Get(ctx, "a", never)
	}()
	_, _ = g.Get(ctx, "a", func(context.Context, string) (*string, error) {
		_, err := g.Get(ctx, "b", never)
		return nil, err
	})
	same(t, guard.Counters{Loads: 3, LoaderErrors: 3, Overloaded: 1}, g.Counters())
}

func TestKeysValuesAndBatches(t *testing.T) {
	bytes, err := guard.NewWithCodec[[]byte](server, t.Name(), guard.Bytes{}, guard.Options{})
	same(t, nil, err)
	for i := 0; i < 2; i++ {
		found, err := bytes.Get(ctx, "\xff\x00}", func(context.Context, string) (*[]byte, error) { row := []byte{255, 0}; return &row, nil })
		same(t, nil, err)
		same(t, []byte{255, 0}, *found)
	}
	g, keys, all := made(t, guard.Options{}), []string{}, map[string]string{}
	for i := 0; i < 2500; i++ {
		keys = append(keys, fmt.Sprint("k", i))
		all[keys[i]] = keys[i]
	}
	for i := 0; i < 2; i++ {
		found, err := g.GetMany(ctx, append(keys, "k0"), func(context.Context, []string) (map[string]string, error) {
			if i > 0 {
				panic("it is not loaded")
			}
			return all, nil
		})
		same(t, nil, err)
		same(t, all, found)
	}
	wrong, _ := guard.New[func()](server, t.Name(), guard.Options{})
	_, err = wrong.Get(ctx, "f", func(context.Context, string) (*func(), error) { row := func() {}; return &row, nil })
	same(t, true, err != nil)
	same(t, 0, leases(t))
}

// nothing is JSON null.
type nothing struct{}

func (nothing) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

func refusedAsNull[V any](t *testing.T, row V) {
	t.Helper()
	g, err := guard.New[V](server, t.Name(), guard.Options{})
	same(t, nil, err)
	_, err = g.Get(ctx, "a key", func(context.Context, string) (*V, error) { return &row, nil })
	if err == nil || !strings.Contains(err.Error(), `"a key"`) || !strings.Contains(err.Error(), fmt.Sprintf("%T", row)) || !strings.Contains(err.Error(), "JSON null") {
		t.Fatal(err)
	}
	same(t, 0, ask(t, "EXISTS", t.Name()+":{=a key}", t.Name()+":{=a key}:lease"))
}

func TestNullIsNoValue(t *testing.T) {
	refusedAsNull[[]string](t, nil)
	refusedAsNull[map[string]int](t, nil)
	refusedAsNull[*int](t, nil)
	refusedAsNull(t, nothing{})
	g := made(t, guard.Options{})
	for _, null := range []string{"null", " null\n"} { // another wrote it
		ask(t, "SET", t.Name()+":{=a}", "V0000000000000"+null)
		found, err := g.Get(ctx, "a", always("x"))
		same(t, "x", row(t, found, err))
		same(t, `V0000000000000"x"`, string(ask(t, "GET", t.Name()+":{=a}").([]byte)))
		same(t, nil, g.Erase(ctx, "a"))
	}
}

func TestNearAndFences(t *testing.T) {
	has := func(key string) bool { return key == "alice" }
	found, err := made(t, guard.Options{Near: has, NearIsFinal: true}).Get(ctx, "bob", never)
	same(t, "none", row(t, found, err))
	found, err = made(t, guard.Options{Near: has}).Get(ctx, "carol", always("2"))
	same(t, "2", row(t, found, err))
	found, err = made(t, guard.Options{}).GetBehind(ctx, &guard.Fence{Source: "s", Position: "7"}, "dave", func(context.Context, string) (*string, error) { return nil, nil })
	same(t, "none", row(t, found, err))
	same(t, 0, ask(t, "EXISTS", t.Name()+":{=dave}"))
}

func TestAFenceHasASourceAndAPosition(t *testing.T) {
	for _, fence := range []guard.Fence{{}, {Source: "s"}, {Position: "7"}} {
		g := made(t, guard.Options{Near: func(string) bool { return false }, NearIsFinal: true})
		_, err := g.GetBehind(ctx, &fence, "a", never)
		same(t, true, errors.Is(err, guard.ErrBadFence))
	}
}

// half fails where the second call of a batch is sent.
type half struct{ pool }

func (h half) Do(ctx context.Context, args ...any) (any, error) {
	for _, word := range args {
		if word == "m1000" {
			return nil, errors.New("away")
		}
	}
	return h.pool.Do(ctx, args...)
}

func TestABatchThatFailsGivesBackWhatItLeased(t *testing.T) {
	g, err := guard.New[string](half{server}, t.Name(), guard.Options{LeaseLife: time.Hour})
	same(t, nil, err)
	keys := []string{}
	for i := 0; i < 1001; i++ {
		keys = append(keys, fmt.Sprint("m", i))
	}
	_, err = g.GetMany(ctx, keys, func(context.Context, []string) (map[string]string, error) { return nil, errors.New("no") })
	same(t, "no", err)
	until(t, func() bool { return leases(t) == 0 })
}

type away struct{}

func (away) Do(context.Context, ...any) (any, error) { return nil, errors.New("away") }

func TestAServerThatIsAwayIsLeftAloneForAWhile(t *testing.T) {
	g, err := guard.New[string](away{}, "n", guard.Options{FailuresInARow: 2, FailurePause: time.Minute})
	same(t, nil, err)
	for i := 0; i < 4; i++ {
		found, err := g.Get(ctx, "a", always(strconv.Itoa(i)))
		same(t, i, row(t, found, err))
	}
	same(t, 2, g.Counters().Skips)
	_, err = g.Announce(ctx, "a")
	same(t, true, errors.Is(err, guard.ErrNotAnnounced))
	same(t, true, errors.Is(g.Erase(ctx, "a"), guard.ErrNotErased))
}

func TestWhatIsNoWaitIsRefusedBeforeAnythingIsSent(t *testing.T) {
	g := made(t, guard.Options{})
	for _, each := range []struct {
		count int
		limit time.Duration
	}{{0, time.Second}, {-1, time.Second}, {1_000_001, time.Second}, {1, 0}, {1, time.Microsecond}, {1, 1 << 62}} {
		_, err := g.AnnounceWaiting(ctx, each.count, each.limit, "a")
		same(t, true, err != nil && !errors.Is(err, guard.ErrNotAnnounced))
	}
	same(t, 0, leases(t))
}

func TestWhatIsNoOptionIsRefused(t *testing.T) {
	for name, options := range map[string]guard.Options{"a{b": {}, "n": {ValueLife: -1}, "m": {Jitter: 1}, "o": {QueriesAtOnce: -1}, "p": {LeaseLife: time.Microsecond}} {
		if _, err := guard.New[string](server, name, options); err == nil {
			t.Error(options)
		}
	}
}

// As docs/go.md has it.
func TestThePage(t *testing.T) {
	if os.Getenv("GUARD_MODULE") != "yes" {
		t.Skip("no module")
	}
	ask(t, "BLOOM.RESERVE", "users:filter", 0.0001, 100)
	ask(t, "BLOOM.ADD", "users:filter", "alice")
	users, err := guard.New[string](server, "users", guard.Options{Filter: "users:filter"})
	same(t, nil, err)
	found, err := users.Get(ctx, "carol", never)
	same(t, "none", row(t, found, err))
	mark, err := users.Announce(ctx, "bob")
	same(t, nil, err)
	found, err = users.Get(ctx, "bob", always("Bob B."))
	same(t, "Bob B.", row(t, found, err))
	same(t, nil, mark.Release(ctx))
	same(t, nil, users.Erase(ctx, "alice"))
	rows, err := users.GetMany(ctx, []string{"alice", "carol", "bob"}, func(context.Context, []string) (map[string]string, error) {
		return map[string]string{"alice": "Alice A.", "bob": "Bob B."}, nil
	})
	same(t, nil, err)
	same(t, map[string]string{"alice": "Alice A.", "bob": "Bob B."}, rows)
}
