package main_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// plant makes a tree with so many files and everything else a tree may have.
func plant(t *testing.T, rng *rand.Rand, root string, files int) {
	t.Helper()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dirs := []string{"."}
	for i := range files / 15 {
		dir := filepath.Join(dirs[rng.IntN(len(dirs))], fmt.Sprintf("dir %d", i))
		dirs = append(dirs, dir)
		do(os.MkdirAll(filepath.Join(root, dir), 0o777))
	}
	for i := range files {
		dir := dirs[rng.IntN(len(dirs))]
		data := make([]byte, rng.IntN(20_000)*rng.IntN(2))
		for j := range data {
			data[j] = byte(rng.Uint32())
		}
		path := filepath.Join(root, dir, fmt.Sprintf("file-%d ü", i))
		do(os.WriteFile(path, data, []fs.FileMode{0o644, 0o600, 0o755, 0o444}[rng.IntN(4)]))
	}
	// Names that sort before and behind what a directory holds.
	do(os.MkdirAll(filepath.Join(root, "edge", "empty"), 0o777))
	for _, name := range []string{"edge.txt", "edge-", "edge/a", "edge/a b", "edge/.hidden"} {
		do(os.WriteFile(filepath.Join(root, name), []byte(name), 0o644))
	}
	do(os.Chmod(filepath.Join(root, "edge"), 0o555))
	t.Cleanup(func() { os.Chmod(filepath.Join(root, "edge"), 0o755) })
	if runtime.GOOS != "windows" {
		do(os.Symlink("edge/a", filepath.Join(root, "link")))
		do(os.Symlink("nowhere", filepath.Join(root, "dangling")))
		do(os.Symlink("edge", filepath.Join(root, "to a directory")))
	}
}

// names lists everything below root.
func names(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		all = append(all, rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// digest is the SHA-256 of the checksums of all files, as sha256sum prints them.
func digest(t *testing.T, root string) string {
	t.Helper()
	sums := sha256.New()
	for _, name := range names(t, root) {
		path := filepath.Join(root, name)
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sums, "%x  %s\n", sha256.Sum256(data), filepath.ToSlash(name))
	}
	return fmt.Sprintf("%x", sums.Sum(nil))
}

// same demands that two trees hold the same names with the same types,
// permissions, targets and bytes.
func same(t *testing.T, src, dst string) {
	t.Helper()
	t.Cleanup(func() { os.Chmod(filepath.Join(dst, "edge"), 0o755) })
	want, got := names(t, src), names(t, dst)
	if !slices.Equal(got, want) {
		t.Fatalf("the copy has %d names, the source %d", len(got), len(want))
	}
	for _, name := range want {
		if a, b := describe(t, filepath.Join(src, name)), describe(t, filepath.Join(dst, name)); !bytes.Equal(a, b) {
			t.Errorf("%s differs: %.60q, the source has %.60q", name, b, a)
		}
	}
	if _, err := exec.LookPath("diff"); err != nil {
		return
	}
	out, err := exec.Command("diff", "-r", "--no-dereference", src, dst).CombinedOutput()
	if err != nil {
		t.Errorf("diff -r: %v\n%s", err, out)
	}
}

// describe is all that must agree of one name.
func describe(t *testing.T, path string) []byte {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	head := info.Mode().String() + "\n"
	var body []byte
	switch {
	case info.Mode().IsRegular():
		body, err = os.ReadFile(path)
	case info.Mode()&fs.ModeSymlink != 0:
		head = "link\n"
		var target string
		target, err = os.Readlink(path)
		body = []byte(target)
	}
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(head), body...)
}
