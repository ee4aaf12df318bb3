// Package config is the file in which an operator writes how the console looks
// and answers: theme, keys, badges of stores, what is masked.
//
// # The file
//
// One TOML file, of at most 64 KiB. No file is a configuration too: the defaults.
//
//	theme = "dark"           # or one of [themes]
//	ascii = false            # stored text as ASCII only
//	mouse = true
//	times = "ages"           # or utc, local
//	pane = "running"         # what to open first
//	secrets = ["iban"]       # more keys whose values are masked
//
//	[confirm]
//	retry_teardown = true    # ask before a teardown is retried
//
//	[alarm]
//	owed_after = "1h"        # an owed teardown is an alarm after that
//
//	[store.orders]           # the name of a data directory, or its path
//	label = "PROD"
//	color = "red"
//
//	[themes.mine]
//	base = "light"
//	bad = "bold magenta"
//
//	[keys]                   # in every place that has the action
//	cancel = "ctrl+x"
//	[keys.runs]              # in one place
//	signal = ["S", "f5"]
//
// # Promises
//
// Whatever is wrong is told with its line: what cannot be TOML, a key nobody
// knows, with the nearest that is known, a value that makes no sense, a key of
// the keyboard that would mean two things. A file with a fault is not used in
// part. Reading never blocks: what is no regular file is refused.
//
// A [Watcher] tells of every way in which editors save: in place, by a new file
// under the old name, over a symbolic link, and of the directory coming later.
package config
