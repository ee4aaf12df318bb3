package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/engine"
	"weft/flow"
)

// Contract is the input of contract.
type Contract struct {
	Title string `json:"title"`
	// Days is how long the signature may take, 1 to 365.
	Days int `json:"days"`
}

// Signature is what somebody outside tells of a contract.
type Signature struct {
	By string `json:"by"`
}

// Signed is the result of contract.
type Signed struct {
	// Signed is false when nobody signed in time.
	Signed bool   `json:"signed"`
	By     string `json:"by,omitempty"`
	Name   string `json:"name"`
}

const (
	letterName = "letter.txt"
	signedName = "signed.txt"
)

// contract sends a letter, and whoever got it says who has signed:
//
//	weft-tui activity complete TOKEN --result '{"by": "ana"}'
func contract(work string) engine.Workflow[Contract, Signed] {
	d := folder(work, "contract")
	file := engine.Activity[Signed, engine.Void]{Name: "file-contract", Do: d.fileContract, Timeout: time.Minute}
	do := func(ctx *engine.Context, in Contract) (Signed, error) {
		if err := inRange("days", in.Days, 1, 365); err != nil {
			return Signed{}, err
		}
		sign := engine.Activity[string, Signature]{Name: "sign", Do: d.sign,
			ScheduleToClose: time.Duration(in.Days) * 24 * time.Hour}
		ctx.SetSummary("%s waits for a signature", in.Title)
		signature, err := sign.Run(ctx, in.Title)
		if errors.Is(err, engine.CodeScheduleToClose) {
			ctx.SetSummary("%s was not signed in time", in.Title)
			return Signed{Name: letterName}, nil
		}
		if err != nil {
			return Signed{}, err
		}
		ctx.SetSummary("%s signed by %s", in.Title, signature.By)
		out := Signed{Signed: true, By: signature.By, Name: signedName}
		_, err = file.Run(ctx, out)
		return out, err
	}
	return engine.Workflow[Contract, Signed]{Name: "contract", Version: version, Do: do,
		Example: Contract{Title: "lease of the cellar", Days: 14}}
}

// sign writes the letter, with the token that its answer is told with, and
// leaves the rest to whoever reads it.
func (d disk) sign(ctx context.Context, title string) (Signature, error) {
	token, err := engine.CompleteLater(ctx)
	if err != nil {
		return Signature{}, err
	}
	if err := d.writeLetter(ctx, title, token); err != nil {
		return Signature{}, err
	}
	return Signature{}, engine.ErrLater
}

func (d disk) writeLetter(ctx context.Context, title string, token flow.Token) error {
	path, err := d.path(ctx, letterName)
	if err != nil {
		return err
	}
	return write(path, fmt.Appendf(nil, "Please sign: %s\n\nweft-tui activity complete %s --result '{\"by\": \"YOU\"}'\n", title, token))
}

func (d disk) fileContract(ctx context.Context, s Signed) (engine.Void, error) {
	path, err := d.path(ctx, s.Name)
	if err != nil {
		return engine.Void{}, err
	}
	return engine.Void{}, write(path, fmt.Appendf(nil, "signed by %s\n", s.By))
}
