// Weft-tui is the console of weft, and the verbs that do the same without a
// terminal.
//
// A verb is a function of a [tui.Console], its arguments and a printer; it can
// be tested against a fake and does not know how a store is opened. What opens
// one is in open.go alone. Arguments are checked before anything is opened, so a
// wrong command line changes nothing.
//
// Standard output carries data only. An error is one sentence on standard error,
// or one JSON object when the verb was asked for JSON; the exit code says what
// kind it is (see exitCode).
package main

import "os"

func main() {
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, open: openStore, make: makeStore, screen: runScreen}
	p.terminal = func() bool { return onTerminal(os.Stdin, os.Stdout) }
	os.Exit(p.run(os.Args[1:]))
}
