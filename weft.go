// Package weft opens the durable workflow engine on a directory and, for a
// program that wants one, the console on top of it.
//
//	node, err := weft.Open(ctx, weft.Options{Dir: "data", Create: true,
//		Workflows: []engine.Definition{Provision}})
//	…
//	defer node.Close(ctx)
//	run, err := Provision.Start(ctx, node.Engine, Request{…}, engine.StartOptions{ID: "env-42"})
//
// A program declares its workflows with package engine; this package only
// joins store, engine and console, and closes them in the right order.
package weft

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/user"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/pebble"
	"weft/tui"
)

// Options says what to open. Dir is required, the rest is right at zero.
type Options struct {
	// Dir is the data directory.
	Dir string
	// Create makes an empty store when Dir is missing or empty. Without it a
	// mistyped Dir is an error.
	Create bool
	// Mode is what may be done; "" is [flow.ModeRun].
	Mode flow.Mode
	// Workflows are the types that run here.
	Workflows []engine.Definition
	// AcknowledgeUnknownTypes opens a store with unfinished runs of other
	// types; they are held.
	AcknowledgeUnknownTypes bool
	// AcceptDataLoss opens a store that lacks acknowledged data. The
	// acceptance is audited.
	AcceptDataLoss bool
	// Actor names who acts through the console in the audit; "" is the name
	// of the user of the operating system.
	Actor string
	// Version is what this program calls itself to others that find the
	// directory in use.
	Version string
	// Log receives the logs of workflow code; nil drops them.
	Log slog.Handler
	// Drain is how long leaving waits for activity attempts under way. Zero
	// means 30 s.
	Drain time.Duration
	// Screen is how the console of Run looks and answers; the zero value is a sound
	// default. Run reads no file and no environment for it: a program that wants
	// the operator's configuration loads it with package config and gives its
	// Settings, and with Changes what becomes of them. Actor and Drain above go
	// before those in it.
	Screen tui.Options
}

// Guard is for the first line of main of a program that shows the console: a
// parent process stays behind and repairs the terminal even if the program dies
// hard. Without a terminal it does nothing. It returns in the child only.
func Guard() { tui.Guard() }

// Node is an engine on its open store.
type Node struct {
	// Engine is what workflows are started, signalled and asked with. Close the
	// node and not the engine: the store is closed after it.
	Engine  *engine.Engine
	store   store.Store
	options Options
}

// Open opens the store in o.Dir and an engine on it. The error says in one
// sentence what is wrong and what to do; see the errors of package store.
func Open(ctx context.Context, o Options) (*Node, error) {
	po := pebble.Options{Dir: o.Dir, Create: o.Create, AcceptDataLoss: o.AcceptDataLoss, Version: o.Version}
	if o.Mode == flow.ModeLook {
		po.Mode = pebble.Look
	}
	s, err := pebble.Open(po)
	if err != nil {
		return nil, err
	}
	e, err := engine.Open(ctx, s, engine.Options{Mode: o.Mode, Workflows: o.Workflows, Log: o.Log,
		AcknowledgeUnknownTypes: o.AcknowledgeUnknownTypes})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", o.Dir, err), s.Close())
	}
	return &Node{Engine: e, store: s, options: o}, nil
}

// Console is the door for consoles and verbs. Closing it closes the node.
func (n *Node) Console() tui.Console { return console{n.Engine.Operator(), n} }

// Close drains the engine until ctx ends, gives the lease back and closes the
// store.
func (n *Node) Close(ctx context.Context) error {
	return errors.Join(n.Engine.Close(ctx), n.store.Close())
}

// console is the engine's operator door with a Close that closes the store as
// well.
type console struct {
	*engine.Operator
	node *Node
}

// Close implements [tui.Console].
func (c console) Close(ctx context.Context) error { return c.node.Close(ctx) }

// Run opens o.Dir and shows the console on it until the user leaves, which
// closes everything. A program that calls it puts [Guard] into the first line
// of its main, so that the terminal is repaired even after a hard death.
// It fails when standard input or output is no terminal.
func Run(ctx context.Context, o Options) error {
	if o.Screen.In == nil && o.Screen.Out == nil && !tui.OnTerminal() {
		return tui.ErrNoTerminal // before anything is opened, or begun
	}
	node, err := Open(ctx, o)
	if err != nil {
		return err
	}
	return node.Run(ctx)
}

// Run shows the console on an open node until the user leaves, which closes the
// node: for a program that starts something first.
func (n *Node) Run(ctx context.Context) error {
	err := tui.Run(ctx, n.Console(), n.options.screen())
	// The console has closed the node, unless it could not even begin; closing
	// again answers the same.
	if closed := n.Close(ctx); err == nil {
		err = closed
	}
	return err
}

// screen is how the console is shown.
func (o Options) screen() tui.Options {
	s := o.Screen
	s.Actor = cmp.Or(o.Actor, s.Actor)
	if s.Actor == "" {
		s.Actor = userName()
	}
	s.DrainFor = cmp.Or(o.Drain, s.DrainFor)
	return s
}

// userName is the user of the operating system; "" when the system cannot
// tell, which the audit shows as unknown.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
