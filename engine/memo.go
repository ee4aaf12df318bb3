package engine

import (
	"crypto/sha256"
	"math/rand/v2"
	"strconv"

	"github.com/oklog/ulid/v2"

	"weft/flow"
)

// Memo runs f once and records what it returned; every later life gets the
// record. Use it for a cheap look at the world that needs no retry: an
// environment variable, a file's size. f must not use the context.
func Memo[T any](ctx *Context, name string, f func() (T, error)) (T, error) {
	o := &op{kind: flow.StepMemo, name: name}
	o.compute = func() (p flow.Payload, failure *flow.Failure) {
		defer func() {
			if r := recover(); r != nil {
				p, failure = nil, panicFailure(r)
			}
		}()
		v, err := f()
		if err != nil {
			return nil, failureOf(err)
		}
		p, err = encode(v)
		if err == nil {
			err = ctx.life.weigh(p, "memo", o)
		}
		if err != nil {
			return nil, systemFailure(CodeEncoding, "memo %s: result: %v", name, err)
		}
		return p, nil
	}
	return outcomeOf[T](ctx.perform(o))
}

// Random is a source of random numbers that gives the same numbers in every
// life: it is derived from the run and the place in the code, and costs no
// step.
func (c *Context) Random() *rand.Rand {
	return rand.New(rand.NewChaCha8(c.seed("random")))
}

// NewID is an identifier that is unique and the same in every life.
func (c *Context) NewID() string {
	seed := c.seed("id")
	var id ulid.ULID
	copy(id[6:], seed[:])
	c.life.mu.Lock()
	defer c.life.mu.Unlock()
	if err := id.SetTime(min(uint64(max(c.life.at, 0)), ulid.MaxTime())); err != nil {
		panic("engine: " + err.Error())
	}
	return id.String()
}

func (c *Context) seed(use string) [32]byte {
	c.life.mu.Lock()
	defer c.life.mu.Unlock()
	c.branch.draws++
	return sha256.Sum256([]byte(use + "/" + string(c.life.ref.Run) + "/" + c.branch.prefix + "/" +
		strconv.Itoa(c.branch.steps) + "/" + strconv.Itoa(c.branch.draws)))
}
