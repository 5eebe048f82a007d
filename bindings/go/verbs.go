// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"context"
	cryptorand "crypto/rand"
	"crypto/sha1"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"time"
)

//go:embed guard.lua
var script string

var scriptSum = func() string {
	sum := sha1.Sum([]byte(script))
	return hex.EncodeToString(sum[:])
}()

const mostKeys = 1000

// Conn is one Redis or Valkey server, by whatever client there is, for many goroutines at once. A reply is a string or []byte,
// an int64, a []any of these, or nil; an error of the server has its text. Every command of a guard may be sent again.
type Conn interface {
	Do(ctx context.Context, args ...any) (any, error)
}

// InOrder is a Conn that can send commands one behind the other on one connection, which AnnounceWaiting needs: WAIT is about
// the writes of its own connection. DoInOrder returns the replies in order, or the first error. If a connection is lost,
// it sends all of them again or none.
type InOrder interface {
	DoInOrder(ctx context.Context, commands ...[]any) ([]any, error)
}

// replicas is how many replicas are to have an announcement, and how long they may take.
type replicas struct {
	count int
	limit time.Duration
}

// verbs are those of docs/guard_protocol.md, each one call of the script.
type verbs struct {
	conn    Conn
	name    string
	options *Options
}

type answer struct {
	word, presence, value, lease string
}

type put struct {
	name, lease string
	value       []byte
	isRow       bool
}

func token() string {
	var drawn [16]byte
	if _, err := cryptorand.Read(drawn[:]); err != nil {
		panic(err) // a machine without randomness
	}
	return hex.EncodeToString(drawn[:])
}

// get returns the answers, in order. With an error they are those of the calls before it.
func (v verbs) get(ctx context.Context, names []string, asksFilter bool, identity string, fence *Fence) ([]answer, error) {
	var answers []answer
	family, source, position := "", "", ""
	if asksFilter {
		family = v.options.Family
	} else {
		identity = ""
	}
	if fence != nil {
		source, position = fence.Source, fence.Position
	}
	for _, batch := range batches(names) {
		words := append([]any{"get", family, identity, source, position, token(), v.options.LeaseLife.Milliseconds()}, each(batch)...)
		reply, err := v.about(ctx, batch, asksFilter, words)
		if err != nil {
			return answers, err
		}
		all, _ := reply.([]any)
		if len(all) != len(batch) {
			return answers, fmt.Errorf("guard: %d answers about %d keys", len(all), len(batch))
		}
		for _, one := range all {
			parts, _ := one.([]any)
			found := answer{word: text(parts, 0), presence: text(parts, 1)}
			if found.word == "lease" {
				found.lease = text(parts, 2)
			} else {
				found.value, found.lease = text(parts, 2), text(parts, 3)
			}
			answers = append(answers, found)
		}
	}
	return answers, nil
}

// put returns 1, 0 (too late), or why not, for each.
func (v verbs) put(ctx context.Context, puts []put) ([]any, error) {
	var done []any
	for _, batch := range batches(puts) {
		words, names := []any{"put"}, []string{}
		for _, each := range batch {
			names = append(names, each.name)
			words = append(words, each.lease)
			words = append(words, v.life(each.isRow)...)
			words = append(words, each.value)
		}
		reply, err := v.about(ctx, names, false, words)
		if err != nil {
			return nil, err
		}
		all, _ := reply.([]any)
		done = append(done, all...)
	}
	return done, nil
}

func (v verbs) drop(ctx context.Context, leases map[string]string) error {
	names := make([]string, 0, len(leases))
	for name := range leases {
		names = append(names, name)
	}
	for _, batch := range batches(names) {
		words := []any{"drop"}
		for _, name := range batch {
			words = append(words, leases[name])
		}
		if _, err := v.about(ctx, batch, false, words); err != nil {
			return err
		}
	}
	return nil
}

// announce returns whether the token's marks of all had held. An error says, too, that fewer replicas have them in time.
func (v verbs) announce(ctx context.Context, names []string, token string, wanted replicas) (bool, error) {
	held, family := true, ""
	if v.options.Filter != "" {
		family = v.options.Family
	}
	for _, batch := range batches(names) {
		words := append([]any{"announce", family, "", "", "", token, v.options.MarkLife.Milliseconds()}, each(batch)...)
		reply, err := v.run(ctx, v.keys(batch, v.options.Filter != ""), words, wanted)
		if err != nil {
			return false, err
		}
		marks, _ := reply.([]any)
		if len(marks) != len(batch)+1 {
			return false, fmt.Errorf("guard: announce answers %v", reply)
		}
		for _, mark := range marks[1:] {
			held = held && mark == int64(1)
		}
	}
	return held, nil
}

func (v verbs) erase(ctx context.Context, names []string, token string) error {
	for _, batch := range batches(names) {
		if _, err := v.about(ctx, batch, false, []any{"erase", token}); err != nil {
			return err
		}
	}
	return nil
}

// open returns the filter's identity.
func (v verbs) open(ctx context.Context) (string, error) {
	keys := []any{v.options.Filter}
	if !strings.HasSuffix(v.options.Family, "BLOOM") {
		tagged := v.options.Filter
		if !strings.Contains(tagged, "{") {
			tagged = "{" + tagged + "}"
		}
		keys = append(keys, tagged+":markers")
	}
	reply, err := v.run(ctx, keys, []any{"open", v.options.Family}, replicas{})
	return text([]any{reply}, 0), err
}

// life returns the kind of an entry, its life, and when to refresh it.
func (v verbs) life(isRow bool) []any {
	kind, full, after := "N", v.options.NegativeLife, int64(0)
	if isRow {
		kind, full = "V", v.options.ValueLife
	}
	drawn := float64(full.Milliseconds()) * (1 + v.options.Jitter*(2*rand.Float64()-1))
	life := math.Min(math.Max(1, math.Round(drawn)), float64(longestLife.Milliseconds()))
	if isRow && v.options.RefreshAhead > 0 {
		after = int64(math.Max(1, math.Round(life*(1-v.options.RefreshAhead))))
	}
	return []any{kind, int64(life), after}
}

func (v verbs) about(ctx context.Context, names []string, withFilter bool, words []any) (any, error) {
	return v.run(ctx, v.keys(names, withFilter), words, replicas{})
}

func (v verbs) keys(names []string, withFilter bool) (keys []any) {
	for _, name := range names {
		entry := v.name + ":{=" + name + "}"
		keys = append(keys, entry, entry+":lease")
	}
	if withFilter {
		keys = append(keys, v.options.Filter)
	}
	return keys
}

// run sends a verb, and once more where no answer came: every verb may come twice.
func (v verbs) run(ctx context.Context, keys, words []any, wanted replicas) (any, error) {
	first, again := []any{"EVALSHA", scriptSum}, []any{"EVAL", script}
	if v.options.Commands != "" {
		first = []any{v.options.Commands + "." + strings.ToUpper(words[0].(string))}
		again, words = first, words[1:]
	}
	rest := append(append([]any{len(keys)}, keys...), words...)
	if wanted.count > 0 {
		return v.waiting(ctx, append(again, rest...), wanted)
	}
	reply, err := v.once(ctx, append(first, rest...))
	if err == nil || ctx.Err() != nil || isRefusal(err) {
		return reply, err
	}
	return v.once(ctx, append(again, rest...))
}

func (v verbs) once(ctx context.Context, words []any) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, v.options.ServerTimeout)
	defer cancel()
	return v.conn.Do(ctx, words...)
}

// waiting sends a verb and WAIT behind it. It fails if fewer replicas have the verb's writes in time.
func (v verbs) waiting(ctx context.Context, words []any, wanted replicas) (any, error) {
	conn, isOne := v.conn.(InOrder)
	if !isOne {
		return nil, errors.New("the connection has no DoInOrder")
	}
	ctx, cancel := context.WithTimeout(ctx, v.options.ServerTimeout+wanted.limit)
	defer cancel()
	replies, err := conn.DoInOrder(ctx, words, []any{"WAIT", wanted.count, wanted.limit.Milliseconds()})
	if err != nil {
		return nil, err
	}
	if len(replies) != 2 {
		return nil, fmt.Errorf("guard: %d replies to 2 commands", len(replies))
	}
	if reached, isNumber := replies[1].(int64); !isNumber || reached < int64(wanted.count) {
		return nil, fmt.Errorf("%v replicas have it, not %d", replies[1], wanted.count)
	}
	return replies[0], nil
}

// isRefusal says whether the server sent the error, other than that it does not know the script. The first word of such a text
// is in capitals.
func isRefusal(err error) bool {
	word, _, more := strings.Cut(err.Error(), " ")
	return more && word != "NOSCRIPT" && len(word) >= 3 && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func batches[T any](all []T) [][]T {
	var cut [][]T
	for ; len(all) > mostKeys; all = all[mostKeys:] {
		cut = append(cut, all[:mostKeys])
	}
	if len(all) > 0 {
		cut = append(cut, all)
	}
	return cut
}

func each(names []string) []any {
	words := make([]any, len(names))
	for i, name := range names {
		words[i] = name
	}
	return words
}

func text(parts []any, at int) string {
	if at >= len(parts) {
		return ""
	}
	switch part := parts[at].(type) {
	case string:
		return part
	case []byte:
		return string(part)
	}
	return ""
}

// unique returns each key once.
func unique(keys []string) []string {
	seen, names := make(map[string]bool, len(keys)), make([]string, 0, len(keys))
	for _, key := range keys {
		if !seen[key] {
			seen[key] = true
			names = append(names, key)
		}
	}
	return names
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
