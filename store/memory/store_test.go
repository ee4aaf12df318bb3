package memory_test

import (
	"testing"

	"weft/store"
	"weft/store/memory"
	"weft/store/storetest"
)

var _ store.Store = (*memory.Store)(nil)

func TestContract(t *testing.T) {
	storetest.Run(t, func(testing.TB) storetest.Subject {
		var last *memory.Store
		return storetest.Subject{
			Open: func() (store.Store, error) {
				if last == nil {
					last = memory.New(memory.Options{})
					return last, nil
				}
				s, err := last.Reopen()
				last = s
				return s, err
			},
			Fail: func(s store.Store) { s.(*memory.Store).FailCommit(1, memory.Before) },
			Crash: func(s store.Store) (store.Store, error) {
				last = s.(*memory.Store).Crash()
				return last, nil
			},
		}
	})
}
