package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"weft/engine"
)

// Fetch is the input of fetch.
type Fetch struct {
	// KiB is how much is fetched, 1 to 65,536.
	KiB int `json:"kib"`
	// Breaks is how often the connection is lost, 0 to 5.
	Breaks int `json:"breaks"`
}

// Fetched is the result of fetch.
type Fetched struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Attempts is how many it took.
	Attempts int `json:"attempts"`
}

// fetchSeed chooses the content of the source.
const fetchSeed = 4711

func fetch(work string) engine.Workflow[Fetch, Fetched] {
	d := folder(work, "fetch")
	download := engine.Activity[Fetch, Fetched]{Name: "download", Do: d.download, Timeout: time.Minute,
		Retry: engine.Retry{MaxAttempts: 6, Initial: 3 * time.Second, Max: 20 * time.Second}}
	do := func(ctx *engine.Context, in Fetch) (Fetched, error) {
		if err := errors.Join(inRange("kib", in.KiB, 1, 65536), inRange("breaks", in.Breaks, 0, 5)); err != nil {
			return Fetched{}, err
		}
		ctx.SetSummary("fetching %d KiB", in.KiB)
		return download.Run(ctx, in)
	}
	return engine.Workflow[Fetch, Fetched]{Name: "fetch", Version: version, Do: do, Example: Fetch{KiB: 1024, Breaks: 2}}
}

// download plays a source that goes away: each of the first attempts gets a
// share and loses the connection. The next one goes on behind what is on disk.
func (d disk) download(ctx context.Context, in Fetch) (Fetched, error) {
	attempt := engine.InfoOf(ctx).Attempt
	path, err := d.path(ctx, "fetched.bin")
	if err != nil {
		return Fetched{}, err
	}
	source := noise(fetchSeed, in.KiB<<10)
	upTo := len(source)
	if attempt <= in.Breaks {
		upTo = len(source) * attempt / (in.Breaks + 1)
	}
	have, err := extend(path+".part", source[:upTo])
	if err != nil {
		return Fetched{}, err
	}
	if attempt <= in.Breaks {
		return Fetched{}, engine.Fail(ConnectionLost, "connection lost after %d of %d bytes", have, len(source))
	}
	data, err := os.ReadFile(path + ".part")
	if err != nil {
		return Fetched{}, err
	}
	out := Fetched{"fetched.bin", len(data), hexSum(data), attempt}
	if want := hexSum(source); out.SHA256 != want {
		// Whatever is there is no beginning of the source: begin again.
		return Fetched{}, errors.Join(fmt.Errorf("fetched file has checksum %s, the source %s", out.SHA256, want),
			os.Remove(path+".part"))
	}
	return out, write(path, data)
}

// extend appends to the file what it lacks of data and returns its size.
func extend(path string, data []byte) (size int, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size = int(info.Size())
	if size >= len(data) {
		return size, nil
	}
	if _, err := f.WriteAt(data[size:], int64(size)); err != nil {
		return size, err
	}
	return len(data), f.Sync()
}
