package lease

import (
	"errors"
	"fmt"
	"time"
)

// Options configures a [Lease]. Zero fields take their default.
type Options struct {
	// Holder names the owner to people.
	Holder string
	// TTL is how long a holder that does not renew keeps others waiting, at
	// least 1 ms. Default 30 s.
	TTL time.Duration
	// Renew is the time between renewals, at most a third of TTL. Default 5 s,
	// or a sixth of TTL when that is less.
	Renew time.Duration
	// Wait is how long Acquire waits for another holder. Default 60 s; negative
	// means a single try.
	Wait time.Duration
	// Poll is the time between two looks while waiting. Default 1 s.
	Poll time.Duration
	// Now is the wall clock for stored instants. Nil means [time.Now].
	Now func() time.Time
}

func (o Options) resolve() (Options, error) {
	if o.TTL == 0 {
		o.TTL = 30 * time.Second
	}
	if o.Renew == 0 {
		o.Renew = min(5*time.Second, o.TTL/6)
	}
	if o.Wait == 0 {
		o.Wait = time.Minute
	}
	if o.Poll == 0 {
		o.Poll = time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	var bad []error
	if o.TTL < time.Millisecond || o.Renew <= 0 || o.Poll <= 0 {
		bad = append(bad, fmt.Errorf("TTL %v, Renew %v, Poll %v: none may be negative, nor TTL below 1ms", o.TTL, o.Renew, o.Poll))
	}
	if 3*o.Renew > o.TTL {
		bad = append(bad, fmt.Errorf("Renew %v: more than a third of TTL %v", o.Renew, o.TTL))
	}
	return o, errors.Join(bad...)
}
