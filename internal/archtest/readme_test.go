package archtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/archtest"
)

// checks says how a command of the README or of the tour is proved to work without doing all
// it does. A command without an entry, or that begins with no program named
// here, fails the test: nobody would notice when it breaks.
var checks = map[string]func(*testing.T, program){
	"go run ./cmd/weft-tui demo": func(t *testing.T, p program) { p.run(t, "demo --help") },
	"go test ./...":              inMakefile,
	"go install ./cmd/weft-tui":  func(t *testing.T, p program) { p.run(t, "--help") },
	"make check":                 hasTarget,
}

func TestReadmeCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program := build(t)
	commands := append(archtest.Commands(readRoot(t, "README.md")), archtest.Commands(readRoot(t, "docs/console.md"))...)
	for _, command := range commands {
		t.Run(command, func(t *testing.T) {
			arguments, ours := strings.CutPrefix(command, "weft-tui ")
			check, known := checks[command]
			switch {
			case known:
				check(t, program)
			case ours:
				program.run(t, arguments+" --help")
			default:
				t.Errorf("README.md, docs/console.md: nothing proves that %q works", command)
			}
		})
	}
}

// program is the path of a built weft-tui.
type program string

func build(t *testing.T) program {
	t.Helper()
	p := filepath.Join(t.TempDir(), "weft-tui.exe")
	out, err := exec.Command("go", "build", "-o", p, "weft/cmd/weft-tui").CombinedOutput()
	if err != nil {
		t.Fatalf("build weft-tui: %v\n%s", err, out)
	}
	return program(p)
}

// run fails the test unless the arguments are understood. Quoted arguments with
// spaces are not understood by this test; the README has none.
func (p program) run(t *testing.T, arguments string) {
	t.Helper()
	cmd := exec.Command(string(p), strings.Fields(arguments)...)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("weft-tui %s: %v\n%s", arguments, err, out)
	}
	// Help about a verb that is not there is help about the program.
	if verb := strings.Fields(arguments)[0]; verb[0] != '-' && !strings.Contains(string(out), "\n  weft-tui "+verb) {
		t.Errorf("weft-tui %s: there is no verb %s", arguments, verb)
	}
}

// TestReadmeNamesEveryVerb compares the README with what the program offers.
func TestReadmeNamesEveryVerb(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	readme := readRoot(t, "README.md")
	help, err := exec.Command(string(build(t)), "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(help), "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	verbs := strings.Split(list, "\n")
	if len(verbs) < 10 {
		t.Fatalf("%d verbs in the help, the test reads it wrongly:\n%s", len(verbs), help)
	}
	for _, line := range verbs {
		verb := strings.Fields(line)[0]
		// These two are about the program, not about a store.
		if verb != "help" && verb != "completion" && !strings.Contains(readme, "`"+verb) {
			t.Errorf("README.md: the verb %s is missing", verb)
		}
	}
}

// inMakefile proves the README's test command by the gate that runs it.
func inMakefile(t *testing.T, _ program) {
	if makefile := readRoot(t, "Makefile"); !strings.Contains(makefile, "$(GO) test $(RACE) ./...") {
		t.Error("make check does not run go test ./...")
	}
}

func hasTarget(t *testing.T, _ program) {
	if makefile := readRoot(t, "Makefile"); !strings.Contains(makefile, "\ncheck:") {
		t.Error("Makefile has no target check")
	}
}

func readRoot(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
