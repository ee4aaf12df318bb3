package pebble

import (
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
)

// tune returns the options Pebble is opened with. Comparer and merger stay the
// stock ones, so that stock tools can open the directory.
func tune(opts Options, p place, a *alarm) *pebble.Options {
	po := &pebble.Options{
		// Explicit, also for the disk: an unset FS gets a ticker per file.
		FS:                 orderFS{p.fs},
		FormatMajorVersion: pebbleFormat,
		// Without it a lost manifest marker makes Pebble create a database and
		// delete the tables of the old one.
		ErrorIfNotExists: true,
		ReadOnly:         opts.Mode == Look,
		MemTableSize:     memTableSize,
		CacheSize:        48 << 20, // a list page of a million runs misses below that
		// Waiting at 12 sublevels, the default, was the common stall.
		L0StopWritesThreshold: 24,
		Logger:                a,
		EventListener:         a.listener(),
	}
	if opts.Mode == Look {
		po.FS = lookFS{p.fs}
	}
	for i := range po.Levels {
		po.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		po.Levels[i].FilterType = pebble.TableFilter
	}
	po.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionFastest })
	if opts.Tune != nil {
		opts.Tune(po)
	}
	return po
}
