package pebble

import (
	"errors"
	"fmt"
	"os"

	"weft/store"
)

// highWater is the content of the file of that name. It stands outside Pebble,
// so that what damages the database does not lower it as well.
type highWater struct {
	Store string      `json:"store"`
	Group store.Group `json:"group"`
}

// readHighWater returns the group and whether there is a mark at all.
func readHighWater(p place, id string) (_ store.Group, found bool, _ error) {
	raw, err := readFile(p.fs, p.highWater())
	if errors.Is(err, os.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	var h highWater
	if err := unseal(raw, &h); err != nil {
		return 0, false, fmt.Errorf("the file high-water is unreadable: %w", err)
	}
	if h.Store != id {
		return 0, false, fmt.Errorf("the file high-water belongs to another store: %w", store.ErrCorrupt)
	}
	return h.Group, true, nil
}

func writeHighWater(p place, id string, g store.Group) error {
	content, err := seal(highWater{Store: id, Group: g})
	if err != nil {
		return err
	}
	return writeFile(p.fs, p.highWater(), content)
}
