//go:build !windows

package pebble_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/store"
	"weft/store/pebble"

	rawdb "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sys/unix"
)

// childEnv makes the test binary a second process: it opens a directory, says
// how that went and stays until its standard input ends.
const childEnv = "WEFT_STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(childEnv); what != "" {
		runChild(what)
		return
	}
	os.Exit(m.Run())
}

func runChild(what string) {
	kind, dir, _ := strings.Cut(what, " ")
	var held io.Closer
	var err error
	switch kind {
	case "own":
		held, err = pebble.Open(pebble.Options{Dir: dir, Version: "child", Socket: "/run/child.sock"})
	case "look":
		held, err = pebble.Open(pebble.Options{Dir: dir, Mode: pebble.Look})
	case "raw":
		held, err = rawdb.LockDirectory(dir, vfs.Default)
	case "write": // until killed, telling what is durable
		held, err = pebble.Open(pebble.Options{Dir: dir})
	}
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	fmt.Println("open")
	if kind == "write" {
		go writeForEver(held.(*pebble.Store))
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = held.Close()
}

func writeForEver(s *pebble.Store) {
	for i := 0; ; i++ {
		if _, err := put(s, fmt.Sprintf("w%09d", i), "x"); err != nil {
			return
		}
		fmt.Println(i)
	}
}

// child is a running second process.
type child struct {
	cmd *exec.Cmd
	in  io.Closer
	out *bufio.Reader
}

func startChild(t *testing.T, kind, dir string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(self)}
	c.cmd.Env = append(os.Environ(), childEnv+"="+kind+" "+dir)
	c.cmd.Stderr = os.Stderr
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.cmd.Process.Kill(); _ = c.cmd.Wait() })
	return c
}

func (c *child) line(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("child: %q, %v", line, err)
	}
	return strings.TrimSpace(line)
}

func (c *child) wantOpen(t *testing.T) *child {
	t.Helper()
	if got := c.line(t); got != "open" {
		t.Fatalf("child: %s", got)
	}
	return c
}

func (c *child) kill(t *testing.T) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait()
}

// wantLocked wants to be told within two seconds, and by whom it is held.
func wantLocked(t *testing.T, opts pebble.Options, pid int) *store.LockedError {
	t.Helper()
	begin := time.Now()
	wantOpenError(t, opts, store.ErrLocked)
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("told after %v, want 2s at most", took)
	}
	opts.Patience.Lock = time.Millisecond
	_, err := pebble.Open(opts)
	var locked *store.LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("open: %v, want a LockedError", err)
	}
	if locked.PID != pid {
		t.Errorf("pid %d, want %d", locked.PID, pid)
	}
	return locked
}

// TestSecondOpenerOfThisProcess tries every spelling of the directory.
func TestSecondOpenerOfThisProcess(t *testing.T) {
	dir := madeStore(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(dir))
	s := mustOpen(t, pebble.Options{Dir: dir})
	for _, spelling := range []string{dir, link, "data", "./data/../data", dir + "/"} {
		for _, mode := range []pebble.Mode{pebble.ReadWrite, pebble.Look} {
			wantLocked(t, pebble.Options{Dir: spelling, Mode: mode, Patience: pebble.Patience{Lock: 1}}, os.Getpid())
		}
	}
	// None of that took the lock away from the owner.
	if got := startChild(t, "own", dir).line(t); !strings.Contains(got, "in use") {
		t.Errorf("child: %s, want it refused", got)
	}
	if err := s.StillOwner(); err != nil {
		t.Error(err)
	}
	mustPut(t, s, "k", "2")
}

// TestSecondOpenerIsTold has another process own the store.
func TestSecondOpenerIsTold(t *testing.T) {
	dir := madeStore(t)
	c := startChild(t, "own", dir).wantOpen(t)
	locked := wantLocked(t, pebble.Options{Dir: dir}, c.cmd.Process.Pid)
	if host, _ := os.Hostname(); locked.Host != host || locked.Socket != "/run/child.sock" || time.Since(locked.Since) > time.Minute {
		t.Errorf("told %+v", locked)
	}
	wantLocked(t, pebble.Options{Dir: dir, Mode: pebble.Look}, c.cmd.Process.Pid)
	_ = c.in.Close()
	_ = c.cmd.Wait()
	mustClose(t, mustOpen(t, pebble.Options{Dir: dir, Patience: pebble.Patience{Lock: 1}}))
}

// TestReadersKeepWritersAway: readers share, and are not mistaken for the owner
// that was there before them.
func TestReadersKeepWritersAway(t *testing.T) {
	dir := madeStore(t)
	c := startChild(t, "own", dir).wantOpen(t)
	c.kill(t) // owner.lock still names it
	reader := startChild(t, "look", dir).wantOpen(t)
	wantLocked(t, pebble.Options{Dir: dir}, 0)
	mustClose(t, mustOpen(t, pebble.Options{Dir: dir, Mode: pebble.Look}))
	reader.kill(t)
	mustClose(t, mustOpen(t, pebble.Options{Dir: dir, Patience: pebble.Patience{Lock: 1}}))
}

// TestKillFreesAtOnce kills a writing owner many times. Each time the next open
// succeeds without waiting, and every row it told of is there.
func TestKillFreesAtOnce(t *testing.T) {
	dir := madeStore(t)
	for round := range 8 {
		c := startChild(t, "write", dir).wantOpen(t)
		last := -1
		for range 20 + 30*round {
			if _, err := fmt.Sscan(c.line(t), &last); err != nil {
				t.Fatal(err)
			}
		}
		c.kill(t)
		s := mustOpen(t, pebble.Options{Dir: dir, Patience: pebble.Patience{Lock: 1}})
		for i := range last + 1 {
			if v, err := s.Get(fmt.Appendf(nil, "w%09d", i)); string(v) != "x" || err != nil {
				t.Fatalf("round %d: row %d of %d: %q, %v", round, i, last, v, err)
			}
		}
		if _, err := s.Check(); err != nil {
			t.Error(err)
		}
		mustClose(t, s)
	}
}

// TestPebblesOwnLock: a tool of Pebble has the database, whatever owner.lock
// says.
func TestPebblesOwnLock(t *testing.T) {
	dir := madeStore(t)
	c := startChild(t, "raw", filepath.Join(dir, "db")).wantOpen(t)
	before := fingerprint(t, vfs.Default, dir)
	wantLocked(t, pebble.Options{Dir: dir}, c.cmd.Process.Pid)
	wantLocked(t, pebble.Options{Dir: dir, Mode: pebble.Look}, c.cmd.Process.Pid)
	if after := fingerprint(t, vfs.Default, dir); after != before {
		t.Errorf("the directory changed\nbefore:\n%s\nafter:\n%s", before, after)
	}
	c.kill(t)
	mustClose(t, mustOpen(t, pebble.Options{Dir: dir}))
}

// TestOwnerKeepsPebblesLock works the store hard and looks from another process
// whether the lock on LOCK, which any open and close of that file in this
// process would drop, is still held.
func TestOwnerKeepsPebblesLock(t *testing.T) {
	dir := madeStore(t)
	s := mustOpen(t, pebble.Options{Dir: dir})
	for i := range 50 {
		mustPut(t, s, fmt.Sprint("k", i), "1")
	}
	_ = s.Health()
	_ = s.StillOwner()
	if _, err := s.Check(); err != nil {
		t.Error(err)
	}
	if got := startChild(t, "raw", filepath.Join(dir, "db")).line(t); !strings.HasPrefix(got, "error:") {
		t.Errorf("another process got Pebble's lock: %s", got)
	}
}

// TestLostLockFile: whoever removes owner.lock lets a second owner in, so the
// first must notice. Pebble's own lock still keeps the second out.
func TestLostLockFile(t *testing.T) {
	dir := madeStore(t)
	s := mustOpen(t, pebble.Options{Dir: dir})
	if err := s.StillOwner(); err != nil {
		t.Fatal(err)
	}
	remove(t, dir, "owner.lock")
	if err := s.StillOwner(); !errors.Is(err, store.ErrLocked) {
		t.Errorf("removed: %v, want ErrLocked", err)
	}
	if got := startChild(t, "own", dir).line(t); !strings.Contains(got, "in use") {
		t.Errorf("child: %s, want it refused", got)
	}
	if err := s.StillOwner(); !errors.Is(err, store.ErrLocked) {
		t.Errorf("replaced: %v, want ErrLocked", err)
	}
}

// TestOwnerLockIsReadable keeps the content something a person can read while
// the store is open, and empty after.
func TestOwnerLockIsReadable(t *testing.T) {
	dir := madeStore(t)
	s := mustOpen(t, pebble.Options{Dir: dir, Version: "1.2", Socket: "/run/x.sock"})
	var info struct {
		PID                   int
		Host, Version, Socket string
		Since                 time.Time
	}
	content, err := os.ReadFile(filepath.Join(dir, "owner.lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &info); err != nil || info.PID != os.Getpid() || info.Version != "1.2" || info.Socket != "/run/x.sock" {
		t.Errorf("owner.lock: %s, %v", content, err)
	}
	mustClose(t, s)
	if content, err := os.ReadFile(filepath.Join(dir, "owner.lock")); len(content) != 0 || err != nil {
		t.Errorf("after closing: %q, %v", content, err)
	}
}

// TestUnwritableDirectory needs a user without root's rights; as root the same
// is shown by TestDeniedIsTold.
func TestUnwritableDirectory(t *testing.T) {
	if unix.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := madeStore(t)
	for _, part := range []string{filepath.Join(dir, "owner.lock"), filepath.Join(dir, "db"), dir} {
		if err := os.Chmod(part, 0o555); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755); _ = os.Chmod(filepath.Join(dir, "db"), 0o755) })
	wantOpenError(t, pebble.Options{Dir: dir}, store.ErrDenied)
}

// TestF107DirectoryTakenAway: the directory is renamed, replaced or removed under a
// running owner. Its log files stay writable, but the very next commit fails,
// and no new store appears in the place (F107).
func TestF107DirectoryTakenAway(t *testing.T) {
	for name, take := range map[string]func(dir string) error{
		"renamed":  func(dir string) error { return os.Rename(dir, dir+".away") },
		"removed":  os.RemoveAll,
		"replaced": func(dir string) error { return errors.Join(os.Rename(dir, dir+".away"), os.Mkdir(dir, 0o755)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := madeStore(t)
			s := mustOpen(t, pebble.Options{Dir: dir})
			mustPut(t, s, "k", "1")
			if err := take(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := put(s, "k", "2"); !errors.Is(err, store.ErrFailed) {
				t.Errorf("commit: %v, want ErrFailed", err)
			}
			if err := s.StillOwner(); !errors.Is(err, store.ErrLocked) {
				t.Errorf("still owner: %v", err)
			}
			_ = s.Close()
			if names, _ := os.ReadDir(dir); len(names) != 0 {
				t.Errorf("something was made in the place: %v", names)
			}
		})
	}
}

// TestAnExchangedDirectoryIsNotMarked: an owner whose directory was put away and
// replaced by a copy must not write its own mark into the copy, which would
// then seem to lack what only the owner has.
func TestAnExchangedDirectoryIsNotMarked(t *testing.T) {
	dir := madeStore(t)
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, pebble.Options{Dir: dir})
	for i := range 50 {
		mustPut(t, s, fmt.Sprint("k", i), "1")
	}
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(copied, dir); err != nil {
		t.Fatal(err)
	}
	_ = s.Close() // it may say that the directory is gone
	mustClose(t, mustOpen(t, pebble.Options{Dir: dir}))
}
