// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Codec makes values bytes. What Decode refuses is taken for a miss.
type Codec[V any] interface {
	Encode(value V) ([]byte, error)
	Decode(bytes []byte) (V, error)
}

// JSON is the codec of every language.
type JSON[V any] struct{}

// Encode makes JSON. A value that is JSON null, such as a nil slice, is refused: "no such row" is an entry of its own.
func (JSON[V]) Encode(value V) ([]byte, error) {
	encoded, err := json.Marshal(value)
	if err == nil && isNull(encoded) {
		err = fmt.Errorf("guard: a value of %T is JSON null; a loader gives no row, or an empty value that is not nil", value)
	}
	return encoded, err
}

// Decode reads JSON. Null is no value.
func (JSON[V]) Decode(encoded []byte) (value V, err error) {
	if isNull(encoded) {
		return value, errors.New("guard: JSON null is no value")
	}
	err = json.Unmarshal(encoded, &value)
	return value, err
}

func isNull(encoded []byte) bool { return string(bytes.TrimSpace(encoded)) == "null" }

// Bytes takes values as they are.
type Bytes struct{}

// Encode gives the bytes.
func (Bytes) Encode(value []byte) ([]byte, error) { return value, nil }

// Decode gives the bytes.
func (Bytes) Decode(bytes []byte) ([]byte, error) { return bytes, nil }

// Options says how a guard behaves. What is zero is the default.
type Options struct {
	Filter        string        // the key of a filter on that server; "": none
	Family        string        // BLOOM (the default), BF, or these with a module's prefix
	ValueLife     time.Duration // 10 minutes
	NegativeLife  time.Duration // of "no such row": 1 minute
	Jitter        float64       // each life of an entry is drawn from life * (1 ± this): 0.1; below 0: none
	RefreshAhead  float64       // one reader loads anew, beside, in this last share of a value's life; 0: never
	LeaseLife     time.Duration // longer than the slowest query: 5 s
	MarkLife      time.Duration // longer than a transaction that inserts: 30 s
	WaitLimit     time.Duration // how long a reader waits for another's query: 10 s
	QueriesAtOnce int           // of this guard: 32
	QueryWait     time.Duration // how long a query waits for its turn: 200 ms
	ServerTimeout time.Duration // of one command: 1 s
	Commands      string        // "GUARD" where the server has the commands of bloomery's module (a prefix before it); "": the script
	ReadsReplica  bool          // the loader does, so its "no such row" is not written

	// Near says whether a filter in this process may have the key. It denies only if its set never changes (NearIsFinal).
	Near        func(key string) bool
	NearIsFinal bool

	// A server that failed so often in a row (5) is left alone for FailurePause (1 s).
	FailuresInARow int
	FailurePause   time.Duration
}

const longestLife = 315360000000 * time.Millisecond

func (o *Options) complete(name string) error {
	if strings.ContainsAny(name, "{}") {
		return fmt.Errorf("guard: the name %q has braces", name)
	}
	for _, each := range []struct {
		what         string
		life         *time.Duration
		usual, least time.Duration
	}{
		{"ValueLife", &o.ValueLife, 10 * time.Minute, time.Millisecond},
		{"NegativeLife", &o.NegativeLife, time.Minute, time.Millisecond},
		{"LeaseLife", &o.LeaseLife, 5 * time.Second, time.Millisecond},
		{"MarkLife", &o.MarkLife, 30 * time.Second, time.Millisecond},
		{"WaitLimit", &o.WaitLimit, 10 * time.Second, 0},
		{"QueryWait", &o.QueryWait, 200 * time.Millisecond, 0},
		{"ServerTimeout", &o.ServerTimeout, time.Second, time.Millisecond},
		{"FailurePause", &o.FailurePause, time.Second, 0},
	} {
		if *each.life == 0 {
			*each.life = each.usual
		}
		if *each.life < each.least || *each.life > longestLife {
			return fmt.Errorf("guard: %s is %v; allowed are %v to 10 years", each.what, *each.life, each.least)
		}
	}
	if o.Jitter == 0 {
		o.Jitter = 0.1
	}
	if o.Jitter < 0 {
		o.Jitter = 0
	}
	if !(o.Jitter < 1) || !(o.RefreshAhead >= 0 && o.RefreshAhead < 1) {
		return fmt.Errorf("guard: Jitter is %v and RefreshAhead %v; allowed is below 1, and from 0 to below 1", o.Jitter, o.RefreshAhead)
	}
	if o.QueriesAtOnce == 0 {
		o.QueriesAtOnce = 32
	}
	if o.FailuresInARow == 0 {
		o.FailuresInARow = 5
	}
	if o.QueriesAtOnce < 0 || o.FailuresInARow < 0 {
		return fmt.Errorf("guard: QueriesAtOnce is %d and FailuresInARow %d; allowed is at least 1", o.QueriesAtOnce, o.FailuresInARow)
	}
	if o.Family == "" {
		o.Family = "BLOOM"
	}
	return nil
}
