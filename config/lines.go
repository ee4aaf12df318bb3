package config

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// lines tells in which line a key stands, by its full name.
type lines map[string]int

// linesOf looks through text that was parsed already.
func linesOf(data []byte) lines {
	out := lines{}
	p := unstable.Parser{}
	p.Reset(data)
	table := ""
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = out.key(&p, "", e)
		case unstable.KeyValue:
			out.pair(&p, table, e)
		}
	}
	return out
}

// key notes all parts of the key of e below prefix and answers the whole.
func (l lines) key(p *unstable.Parser, prefix string, e *unstable.Node) string {
	name := prefix
	for it := e.Key(); it.Next(); {
		name = join(name, string(it.Node().Data))
		if _, noted := l[name]; !noted {
			l[name] = p.Shape(it.Node().Raw).Start.Line
		}
	}
	return name
}

// pair notes a key with a value, and those in the value if it is a table.
func (l lines) pair(p *unstable.Parser, prefix string, e *unstable.Node) {
	name := l.key(p, prefix, e)
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for it := v.Children(); it.Next(); {
			l.pair(p, name, it.Node())
		}
	}
}

// join is the full name of a key in a table. A dot in the key itself is no
// separator.
func join(table, key string) string {
	key = strings.ReplaceAll(key, ".", "\x00")
	if table == "" {
		return key
	}
	return table + "." + key
}

// shown is a full name for people.
func shown(name string) string { return strings.ReplaceAll(name, "\x00", ".") }
