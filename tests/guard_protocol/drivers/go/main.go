// SPDX-License-Identifier: Apache-2.0

// One actor of the scenes, over the guard for Go and redigo: JSON a line on standard input, and its answers on standard output.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"bloomery.dev/guard"
	"github.com/gomodule/redigo/redis"
)

// pool is redigo as the guard's connection.
type pool struct{ *redis.Pool }

func (p pool) Do(ctx context.Context, args ...any) (any, error) {
	conn, err := p.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if deadline, isSet := ctx.Deadline(); isSet {
		return redis.DoWithTimeout(conn, time.Until(deadline), args[0].(string), args[1:]...)
	}
	return conn.Do(args[0].(string), args[1:]...)
}

// DoInOrder sends the commands on one connection of the pool.
func (p pool) DoInOrder(ctx context.Context, commands ...[]any) ([]any, error) {
	conn, err := p.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	for _, words := range commands {
		if err := conn.Send(words[0].(string), words[1:]...); err != nil {
			return nil, err
		}
	}
	if err := conn.Flush(); err != nil {
		return nil, err
	}
	deadline, _ := ctx.Deadline() // the guard sets one
	replies := make([]any, len(commands))
	for i := range replies {
		if replies[i], err = redis.ReceiveWithTimeout(conn, time.Until(deadline)); err != nil {
			return nil, err
		}
	}
	return replies, nil
}

func connect(port int) pool {
	return pool{&redis.Pool{MaxIdle: 64, Dial: func() (redis.Conn, error) { return redis.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)) }}}
}

var errLoader = errors.New("the loader")

// actor has a reader of standard input, whose lines are commands or rows.
type actor struct {
	commands, rows chan map[string]json.RawMessage
	guard          *guard.Guard[any]
	marks          map[string]*guard.Announcement
}

func (a *actor) read() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		said := map[string]json.RawMessage{}
		if err := json.Unmarshal(line, &said); err != nil {
			panic(err)
		}
		if _, isCommand := said["do"]; isCommand {
			a.commands <- said
		} else {
			a.rows <- said
		}
	}
}

func say(name string, value any) {
	line, err := json.Marshal(map[string]any{name: value})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}

func (a *actor) load(_ context.Context, keys []string) (map[string]any, error) {
	say("load", keys)
	said := <-a.rows
	if _, isThere := said["rows"]; !isThere {
		return nil, errLoader
	}
	found := map[string]any{}
	for i, row := range get[[]any](said, "rows") {
		if row != nil {
			found[keys[i]] = row
		}
	}
	return found, nil
}

func get[T any](said map[string]json.RawMessage, name string) (value T) {
	if err := json.Unmarshal(said[name], &value); err != nil {
		panic(fmt.Sprint(name, ": ", err))
	}
	return value
}

func options(given map[string]any) guard.Options {
	seconds := func(name string) time.Duration {
		value, _ := given[name].(float64)
		return time.Duration(value * float64(time.Second))
	}
	text := func(name string) string { value, _ := given[name].(string); return value }
	share := func(name string) float64 { value, _ := given[name].(float64); return value }
	replica, _ := given["reads_replica"].(bool)
	jitter := share("jitter")
	if jitter == 0 {
		jitter = -1
	}
	return guard.Options{Filter: text("filter"), Family: text("family"), ValueLife: seconds("value_life"), NegativeLife: seconds("negative_life"),
		LeaseLife: seconds("lease_life"), MarkLife: seconds("mark_life"), WaitLimit: seconds("wait_limit"), Jitter: jitter,
		RefreshAhead: share("refresh_ahead"), ReadsReplica: replica, Commands: text("commands")}
}

func (a *actor) act(said map[string]json.RawMessage) (err error) {
	ctx, verb := context.Background(), get[string](said, "do")
	switch verb {
	case "open":
		a.guard, err = guard.New[any](connect(get[int](said, "port")), get[string](said, "name"), options(get[map[string]any](said, "options")))
		a.marks = map[string]*guard.Announcement{}
	case "get":
		row, err := a.guard.Get(ctx, get[[]string](said, "keys")[0], func(ctx context.Context, key string) (*any, error) {
			found, err := a.load(ctx, []string{key})
			if row, isThere := found[key]; isThere {
				return &row, err
			}
			return nil, err
		})
		if err == nil {
			say("rows", []any{row})
		}
		return err
	case "get_many":
		keys := get[[]string](said, "keys")
		found, err := a.guard.GetMany(ctx, keys, a.load)
		if err == nil {
			rows := make([]any, len(keys))
			for i, key := range keys {
				rows[i] = found[key]
			}
			say("rows", rows)
		}
		return err
	case "announce":
		keys := get[[]string](said, "keys")
		if _, waits := said["wait"]; waits {
			a.marks[get[string](said, "as")], err = a.guard.AnnounceWaiting(ctx, get[int](said, "wait"), time.Duration(get[int](said, "limit"))*time.Millisecond, keys...)
		} else {
			a.marks[get[string](said, "as")], err = a.guard.Announce(ctx, keys...)
		}
	case "renew":
		held, err := a.marks[get[string](said, "as")].Renew(ctx)
		if err == nil {
			say("held", held)
		}
		return err
	case "release":
		err = a.marks[get[string](said, "as")].Release(ctx)
	case "erase":
		err = a.guard.Erase(ctx, get[[]string](said, "keys")...)
	case "reopen":
		err = a.guard.Open(ctx)
	default:
		panic(verb)
	}
	if err == nil {
		say("did", verb)
	}
	return err
}

func main() {
	a := &actor{commands: make(chan map[string]json.RawMessage), rows: make(chan map[string]json.RawMessage, 1)}
	go a.read()
	for said := range a.commands {
		err := a.act(said)
		for name, each := range map[string]error{"Overloaded": guard.ErrOverloaded, "WaitedTooLong": guard.ErrWaitedTooLong,
			"NotAnnounced": guard.ErrNotAnnounced, "NotErased": guard.ErrNotErased, "LoaderError": errLoader} {
			if errors.Is(err, each) {
				say("error", name)
				err = nil
			}
		}
		if err != nil {
			say("error", err.Error())
		}
	}
}
