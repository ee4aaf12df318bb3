package pebble

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"weft/store"

	"github.com/cockroachdb/pebble/v2"
)

const (
	// formatVersion is the layout this package writes, rows of its own
	// included. Raise it when an older program must keep out.
	formatVersion = 1
	// pebbleFormat has checksummed footers and tells a damaged log from a torn
	// tail. Pebble only ever raises it, irreversibly.
	pebbleFormat = pebble.FormatTableFormatV6
)

// format is the content of FORMAT.
type format struct {
	Version int    `json:"version"`
	Pebble  uint64 `json:"pebble"`
	ID      string `json:"id"`
}

// readFormat returns what FORMAT says, or why this program must keep out.
func readFormat(p place) (format, error) {
	raw, err := readFile(p.fs, p.format())
	if err != nil {
		return format{}, err
	}
	var f format
	if err := unseal(raw, &f); err != nil {
		return f, fmt.Errorf("the file FORMAT is unreadable: %w", err)
	}
	if f.Version > formatVersion || f.Pebble > uint64(pebbleFormat) {
		return f, fmt.Errorf("%w: it has format %d.%d, this program knows up to %d.%d",
			store.ErrNewer, f.Version, f.Pebble, formatVersion, pebbleFormat)
	}
	if f.Version < 1 || f.ID == "" {
		return f, fmt.Errorf("the file FORMAT makes no sense: %w", store.ErrCorrupt)
	}
	return f, nil
}

// peek looks at Pebble's directory without opening it, and compares it with f.
func peek(p place, f format) error {
	desc, err := pebble.Peek(p.db(), p.fs)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("its directory db is missing: %w", store.ErrCorrupt)
	case err != nil && isDenied(err):
		return translate(err)
	case err != nil:
		return fmt.Errorf("%w: %w", store.ErrNewer, err) // Peek knows no such format
	case !desc.Exists:
		return fmt.Errorf("db has lost its manifest: %w", store.ErrCorrupt)
	case uint64(desc.FormatMajorVersion) > f.Pebble:
		return fmt.Errorf("%w: db has Pebble format %d, FORMAT says %d", store.ErrNewer, desc.FormatMajorVersion, f.Pebble)
	case uint64(desc.FormatMajorVersion) < f.Pebble:
		return fmt.Errorf("db has lost its format marker: %w", store.ErrCorrupt)
	}
	return nil
}

func randomName() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
