package pebble

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"weft/store"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// sealed is how small files are stored: JSON that people can read, with a sum.
type sealed struct {
	Data json.RawMessage `json:"weft"`
	// Sum is the CRC-32C of Data. A flipped bit must not become another group
	// number or another store.
	Sum uint32 `json:"crc32c"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func seal(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	out, err := json.Marshal(sealed{Data: data, Sum: crc32.Checksum(data, castagnoli)})
	return append(out, '\n'), err
}

// unseal answers [store.ErrCorrupt] for anything that seal did not write.
func unseal(raw []byte, v any) error {
	var s sealed
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("%w: %w", store.ErrCorrupt, err)
	}
	if sum := crc32.Checksum(s.Data, castagnoli); sum != s.Sum {
		return fmt.Errorf("%w: checksum %08x, want %08x", store.ErrCorrupt, sum, s.Sum)
	}
	if err := json.Unmarshal(s.Data, v); err != nil {
		return fmt.Errorf("%w: %w", store.ErrCorrupt, err)
	}
	return nil
}

func readFile(fs vfs.FS, name string) (_ []byte, err error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	const most = 1 << 16             // ours are a few hundred bytes
	return io.ReadAll(io.LimitReader(f, most))
}

// writeFile replaces name whole: after a power cut it has the old or the new
// content.
func writeFile(fs vfs.FS, name string, content []byte) error {
	temp := name + ".new"
	if err := writeSynced(fs, temp, content); err != nil {
		return err
	}
	if err := fs.Rename(temp, name); err != nil {
		return err
	}
	return syncDir(fs, fs.PathDir(name))
}

func writeSynced(fs vfs.FS, name string, content []byte) error {
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}
