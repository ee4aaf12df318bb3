package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
	"weft/views"
)

// program is one invocation: its streams, its flags and how it reaches a store.
type program struct {
	in       io.Reader
	out, err io.Writer
	// open opens the store that want describes. Closing the console closes the
	// store.
	open func(context.Context, want) (tui.Console, error)
	// make makes an empty store in a directory.
	make func(dir string) error
	// screen shows the full-screen console until the user leaves it.
	screen func(context.Context, want, tui.Options) error
	// terminal reports whether the streams are a terminal.
	terminal func() bool
	settings
}

// settings are the flags that every verb has.
type settings struct {
	data         string
	readOnly     bool
	acceptLoss   bool
	theme, color string
	plain        bool
	config       string
}

// want says which store is to be opened and for what.
type want struct {
	Dir  string
	Mode flow.Mode
	// Create makes the store when there is none.
	Create bool
	// Seed starts the demo workflows in a store that has not had them.
	Seed           bool
	AcceptDataLoss bool
}

// run does what args ask for and returns the exit code.
func (p *program) run(args []string) int {
	root := p.command()
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	err := root.ExecuteContext(context.Background())
	if err != nil {
		p.complain(err, wantsJSON(args))
	}
	return exitCode(err)
}

// wantsJSON looks for the flag in the raw arguments, because an error in them
// must be told in JSON too.
func wantsJSON(args []string) bool {
	for _, a := range args {
		name, value, given := strings.Cut(a, "=")
		switch {
		case a == "--":
			return false
		case name == "--json" || name == "--jsonl":
			return !given || value != "false"
		}
	}
	return false
}

func (p *program) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "weft-tui",
		Short: "The console of weft, a durable workflow engine in one directory",
		Long: "Without a verb, weft-tui shows the full-screen console on the data directory.\n" +
			"Verbs read or change the same store without a terminal.",
		Args:          p.noVerb,
		RunE:          func(cmd *cobra.Command, _ []string) error { return p.console(cmd.Context(), p.want(flow.ModeRun)) },
		SilenceErrors: true,
		SilenceUsage:  true,
		// Two wrong letters still name a verb.
		SuggestionsMinimumDistance: 2,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%w", err) })
	flags := root.PersistentFlags()
	flags.StringVar(&p.data, "data", "./weft-data", "the data `directory`")
	flags.BoolVar(&p.readOnly, "read-only", false, "change not a byte")
	flags.BoolVar(&p.acceptLoss, "accept-data-loss", false, "open a store that lost acknowledged data; audited")
	flags.StringVar(&p.theme, "theme", "", "the `name` of the console's theme")
	flags.StringVar(&p.color, "color", "auto", "auto, always or never")
	flags.StringVar(&p.config, "config", "", "the `file` of the console's configuration; see weft-tui config path")
	p.plainFlag(root)
	root.AddCommand(p.configCommand(), p.initCommand(), p.demoCommand(), p.listCommand(), p.showCommand(), p.stepsCommand(), p.exportCommand(),
		p.startCommand(), p.signalCommand(), p.updateCommand(), p.queryCommand(), p.activityCommand(), p.teardownsCommand(), p.deadCommand(), p.countsCommand(), p.typesCommand(),
		p.leaseCommand(), p.auditCommand(), p.watchCommand(), p.printCommand())
	root.AddCommand(p.runVerbs()...)
	root.AddCommand(p.labelVerbs()...)
	root.SetHelpCommand(p.helpCommand())
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return p.check() }
	return root
}

// plainFlag is for what shows the console.
func (p *program) plainFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.plain, "plain", false, "for a screen reader: one pane, ASCII, no colours, the cursor on the chosen row")
}

// noVerb refuses arguments that are no verb, with the nearest ones.
func (p *program) noVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	near := cmd.SuggestionsFor(args[0])
	if len(near) == 0 {
		return usage("there is no verb %q; see weft-tui --help", args[0])
	}
	return usage("there is no verb %q; did you mean %s?", args[0], strings.Join(near, " or "))
}

// check refuses flags whose values make no sense, before anything is opened.
func (s settings) check() error {
	names := s.themeNames()
	switch {
	case s.theme != "" && !slices.Contains(names, s.theme):
		return usage("--theme %q is none of %s", s.theme, strings.Join(names, ", "))
	case s.plain && s.theme != "":
		return usage("--plain has its own theme: leave --theme out")
	case s.data == "":
		return usage("--data is empty: name a directory")
	case s.color != "auto" && s.color != "always" && s.color != "never":
		return usage("--color %q is none of auto, always, never", s.color)
	}
	return nil
}

// themeNames are the themes there are; those of a configuration are looked for
// only when another one is asked for.
func (s settings) themeNames() []string {
	names := views.ThemeNames()
	if s.theme == "" || slices.Contains(names, s.theme) {
		return names
	}
	f, _, err := s.configuration()
	if err != nil {
		return names
	}
	return f.Settings(s.data).ThemeNames()
}

func (s settings) want(mode flow.Mode) want {
	if s.readOnly {
		mode = flow.ModeLook
	}
	return want{Dir: s.data, Mode: mode, AcceptDataLoss: s.acceptLoss}
}
