package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"weft/engine"
)

// Ledger is the input of import.
type Ledger struct {
	// Rows is how many rows the ledger has, 1 to 10,000.
	Rows int `json:"rows"`
	// Broken is the number of a row that cannot be read; 0 is none.
	Broken int `json:"broken"`
}

// Imported is the result of import.
type Imported struct {
	Rows  int `json:"rows"`
	Cents int `json:"cents"`
}

const ledgerName = "ledger.csv"

func importLedger(work string) engine.Workflow[Ledger, Imported] {
	d := folder(work, "import")
	deliver := engine.Activity[Ledger, engine.Void]{Name: "write-ledger", Do: d.writeLedger, Timeout: time.Minute}
	read := engine.Activity[engine.Void, Imported]{Name: "read-ledger", Do: d.readLedger, Timeout: time.Minute}
	do := func(ctx *engine.Context, in Ledger) (Imported, error) {
		if err := errors.Join(inRange("rows", in.Rows, 1, 10_000), inRange("broken", in.Broken, 0, in.Rows)); err != nil {
			return Imported{}, err
		}
		ctx.SetSummary("%d rows", in.Rows)
		if _, err := deliver.Run(ctx, in); err != nil {
			return Imported{}, err
		}
		return read.Run(ctx, engine.Void{})
	}
	return engine.Workflow[Ledger, Imported]{Name: "import", Version: version, Do: do, Example: Ledger{Rows: 40, Broken: 17}}
}

func (d disk) writeLedger(ctx context.Context, in Ledger) (engine.Void, error) {
	path, err := d.path(ctx, ledgerName)
	if err != nil {
		return engine.Void{}, err
	}
	var text bytes.Buffer
	for i := 1; i <= in.Rows; i++ {
		amount := strconv.Itoa(i * 137 % 10_000)
		if i == in.Broken {
			amount = "n/a"
		}
		fmt.Fprintf(&text, "%d,%s\n", i, amount)
	}
	return engine.Void{}, write(path, text.Bytes())
}

// readLedger adds up the ledger. No repeat makes a broken row readable, so that
// failure is permanent; a file that cannot be read is tried again.
func (d disk) readLedger(ctx context.Context, _ engine.Void) (Imported, error) {
	path, err := d.path(ctx, ledgerName)
	if err != nil {
		return Imported{}, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Imported{}, err
	}
	var out Imported
	for line := range bytes.Lines(data) {
		out.Rows++
		_, amount, _ := bytes.Cut(bytes.TrimSpace(line), []byte(","))
		cents, err := strconv.Atoi(string(amount))
		if err != nil {
			return Imported{}, engine.Permanent(engine.Fail(BrokenRow, "%s, row %d: amount %q is no number",
				ledgerName, out.Rows, amount))
		}
		out.Cents += cents
	}
	return out, nil
}
