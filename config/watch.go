package config

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pace is how a watcher waits.
type pace struct {
	// rest is how long a file must have been left alone before it is read: a
	// save is several events.
	rest time.Duration
	// doubt is how much longer a file is given that is empty, gone or faulty: it
	// may be half written.
	doubt time.Duration
	// rescan is how often the file is read without any event: events get lost,
	// and a directory that is made anew has none.
	rescan time.Duration
	// poll is how often it is read while nothing can be watched.
	poll time.Duration
}

var usualPace = pace{rest: 150 * time.Millisecond, doubt: time.Second, rescan: 30 * time.Second, poll: 2 * time.Second}

// Watcher waits for changes of one file. It watches directories, since a watch
// on the file would follow the old one after an atomic save; where watching is
// not possible it polls. Its methods are for one goroutine.
type Watcher struct {
	path    string
	pace    pace
	events  *fsnotify.Watcher // nil: polling
	watched map[string]os.FileInfo
	last    state
	began   bool // looked once
}

// Watch begins to watch the file that f was loaded from. What changed since then,
// the first Next tells.
func Watch(f File) *Watcher {
	w := &Watcher{path: f.Path, pace: usualPace, watched: map[string]os.FileInfo{}, last: f.found}
	w.events, _ = fsnotify.NewWatcher() // too many watchers: poll
	w.attend()
	return w
}

// Close ends the watch.
func (w *Watcher) Close() error {
	if w.events == nil {
		return nil
	}
	return w.events.Close()
}

// Next waits until the content of the file is another one and tells it, or why
// it cannot be used. A file that was removed is the zero File. It returns the
// error of ctx when that ends.
func (w *Watcher) Next(ctx context.Context) (File, error) {
	for {
		if err := w.wait(ctx); err != nil {
			return File{}, err
		}
		w.began = true
		w.attend()
		now := look(w.path)
		if now.same(w.last) {
			continue
		}
		f, err := now.file(w.path)
		if err != nil || len(now.data) == 0 {
			if settled, cerr := w.settled(ctx, now); cerr != nil || !settled {
				if cerr != nil {
					return File{}, cerr
				}
				continue
			}
		}
		w.last = now
		return f, err
	}
}

// settled gives a doubtful file more time and reports whether it stays so.
func (w *Watcher) settled(ctx context.Context, was state) (bool, error) {
	select {
	case <-time.After(w.pace.doubt):
		return look(w.path).same(was), nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// wait returns once something happened and has come to rest, or it is time to
// look anyway.
func (w *Watcher) wait(ctx context.Context) error {
	every := w.pace.rescan
	if !w.began {
		every = 0 // what changed before the watch had no event
	}
	var events <-chan fsnotify.Event
	var errs <-chan error
	if w.events != nil {
		events, errs = w.events.Events, w.events.Errors
	}
	if _, watched := w.watched[filepath.Dir(w.path)]; !watched && w.began {
		every = w.pace.poll
	}
	timer := time.NewTimer(every)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		case _, ok := <-errs: // an overflow: look
			if !ok {
				errs = nil
			}
			timer.Reset(w.pace.rest)
		case e, ok := <-events:
			if !ok {
				events = nil
			}
			if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
				delete(w.watched, e.Name) // a directory that is gone; its number may be used again
			}
			if e.Op != fsnotify.Chmod {
				timer.Reset(w.pace.rest)
			}
		}
	}
}

// attend watches the directory of the file, and that of what it links to. One
// that was made anew is another directory under the old name.
func (w *Watcher) attend() {
	if w.events == nil {
		return
	}
	want := map[string]bool{filepath.Dir(w.path): true}
	if target, err := filepath.EvalSymlinks(w.path); err == nil {
		want[filepath.Dir(target)] = true
	}
	for _, dir := range w.events.WatchList() {
		if _, known := w.watched[dir]; !known {
			_ = w.events.Remove(dir)
		}
	}
	for dir, was := range w.watched {
		now, err := os.Stat(dir)
		if !want[dir] || err != nil || !os.SameFile(was, now) {
			_ = w.events.Remove(dir)
			delete(w.watched, dir)
		}
	}
	for dir := range want {
		info, err := os.Stat(dir)
		if _, is := w.watched[dir]; is || err != nil {
			continue
		}
		if w.events.Add(dir) == nil {
			w.watched[dir] = info
		}
	}
}
