package archtest

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
)

// use is one mention of an exported name of another package.
type use struct {
	source Source
	line   int
	pkg    string // import path
	text   string // as written, "fmt.Println"
	name   string
}

func (u use) finding(text string) Finding {
	return Finding{u.source.Path, u.line, u.text + " " + text}
}

// uses lists the names of other packages that the files chosen by in mention.
// It goes by syntax: a local variable named like a package fools it, which the
// rules accept.
func uses(t *Tree, in func(Source) bool) []use {
	var all []use
	for _, s := range t.Source {
		if !in(s) {
			continue
		}
		names := importNames(s)
		ast.Inspect(s.Syntax, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			id, ok := sel.X.(*ast.Ident)
			if ok && names[id.Name] != "" {
				all = append(all, use{s, t.Line(sel.Pos()), names[id.Name], id.Name + "." + sel.Sel.Name, sel.Sel.Name})
			}
			return true
		})
	}
	return all
}

// importNames maps the local name of each import to its path.
func importNames(s Source) map[string]string {
	names := map[string]string{}
	for _, spec := range s.Syntax.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		local := path.Base(name)
		if isMajor(local) {
			local = path.Base(path.Dir(name))
		}
		if spec.Name != nil {
			local = spec.Name.Name
		}
		names[local] = name
	}
	return names
}

// isMajor reports whether an element of an import path is a major version,
// which is no part of the package's name.
func isMajor(element string) bool {
	n, ok := strings.CutPrefix(element, "v")
	_, err := strconv.Atoi(n)
	return ok && err == nil
}

// clockless are the packages that get every instant as an argument: values
// there can be tested at any time, and frames can be drawn again.
var clockless = []string{"flow", "keymap", "views"}

// clocks are the functions of package time that read or wait for a clock.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

func checkClocks(t *Tree) []Finding {
	var found []Finding
	in := func(s Source) bool { return slices.Contains(clockless, s.Dir()) && !s.Test() }
	for _, u := range uses(t, in) {
		if u.pkg == "time" && slices.Contains(clocks, u.name) {
			found = append(found, u.finding("reads a clock: take the instant as an argument"))
		}
	}
	return found
}

// themeFile is the one place where colours are named.
const themeFile = "views/theme.go"

// colors are the names of the terminal libraries that make a colour.
var colors = []string{
	"Color", "ANSIColor", "RGBColor", "NoColor", "LightDark", "Complete", "AdaptiveColor", "CompleteColor", "CompleteAdaptiveColor",
	"BasicColor", "IndexedColor", "HexColor", "TrueColor", "ExtendedColor", "RGBA", "NRGBA",
	"Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White",
	"BrightBlack", "BrightRed", "BrightGreen", "BrightYellow", "BrightBlue", "BrightMagenta", "BrightCyan", "BrightWhite",
}

func checkColors(t *Tree) []Finding {
	var found []Finding
	in := func(s Source) bool { return s.Path != themeFile && !s.Test() }
	for _, u := range uses(t, in) {
		makes := strings.HasPrefix(u.pkg, "charm.land/lipgloss/") || u.pkg == "github.com/charmbracelet/x/ansi" ||
			u.pkg == "image/color"
		if makes && slices.Contains(colors, u.name) {
			found = append(found, u.finding("makes a colour outside "+themeFile))
		}
	}
	return found
}

// checkOutput keeps packages from writing to the terminal that a console may
// own, and from ending a process that is not theirs. Programs may do both.
func checkOutput(t *Tree) []Finding {
	var found []Finding
	in := func(s Source) bool {
		return s.Syntax.Name.Name != "main" && !s.Test() && ownsTerminal[s.Path] == ""
	}
	for _, u := range uses(t, in) {
		switch {
		case u.pkg == "fmt" && strings.HasPrefix(u.name, "Print"),
			u.pkg == "log" && u.name != "New" && u.name != "Logger",
			u.pkg == "os" && (u.name == "Stdout" || u.name == "Stderr" || u.name == "Exit"):
			found = append(found, u.finding("outside a program"))
		}
	}
	return found
}

// ownsTerminal are the files outside programs that may, with the reason.
var ownsTerminal = map[string]string{
	"tui/guard_unix.go": "the guard is a process of its own, which repairs the terminal",
	"tui/terminal.go":   "the console is shown on the standard streams",
}
