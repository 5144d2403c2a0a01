package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// mounted mounts a disk of a size in a new folder.
func mounted(t *testing.T, size string) string {
	t.Helper()
	mount := t.TempDir()
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(mount, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return mount
}

// TestFullDiskOfFile writes each kind of file onto a disk that is too small: nothing is left of it.
func TestFullDiskOfFile(t *testing.T) {
	mount, kept := mounted(t, "4k"), filepath.Join(t.TempDir(), "kept.crsm")
	data := "testdata/labelled.jsonl"
	run := func(line string) (code int, said string) {
		var out, log bytes.Buffer
		code = Main(strings.Fields(line), strings.NewReader(""), &out, &log)
		return code, log.String()
	}
	if code, said := run("score --data " + data + " --matrices " + kept); code != exitDone {
		t.Fatal(said)
	}
	file := filepath.Join(mount, "file")
	for _, line := range []string{
		"calibrate --resamples 100 --folds 2 --matrices " + kept + " --html " + file,
		"score --data " + data + " --format jsonl --explain --output " + file,
		"score --data " + data + " --matrices " + file,
		"perturb --data ../../testdata/forms.jsonl --only p8 --out " + file,
	} {
		if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, said := run(line + " --force"); code != exitIncomplete || !strings.Contains(said, "no space left on device") {
			t.Errorf("%s: exit code %d: %s", line, code, said)
		}
		left, err := os.ReadDir(mount)
		if text, err2 := os.ReadFile(file); err != nil || err2 != nil || len(left) != 1 || string(text) != "old" {
			t.Errorf("%s: %v with %d bytes is left: %v, %v", line, left, len(text), err, err2)
		}
	}
}

// TestFullDisk has each command keep its results on a disk that is too small: the command says
// so, and goes on when there is room.
func TestFullDisk(t *testing.T) {
	judgedBy(t)
	for name, args := range keepers {
		t.Run(name, func(t *testing.T) { fullDisk(t, args) })
	}
}

func fullDisk(t *testing.T, args string) {
	mount, data := mounted(t, "40k"), eight(t, 40)
	dir, want := filepath.Join(mount, "run"), filepath.Join(t.TempDir(), "run")
	const full = "the disk is full: "
	rest := filepath.Join(mount, "rest")
	finished := "" // the changes that are, as the first start says
	for i, dir := range []string{dir, dir, filepath.Join(mount, "another")} {
		code, said := keep(t, args, data, dir)
		if code != exitIncomplete || strings.Count(said, full) != 1 || !strings.Contains(said, "make room and start the run again") {
			t.Fatalf("%s: exit code %d: %s", dir, code, said)
		}
		if n := regexp.MustCompile(`is unfinished, and ([1-9][0-9]*) changes? of it`).FindStringSubmatch(said); i == 0 && n != nil {
			finished = n[1]
		}
		if i == 1 && (finished == "" || !strings.Contains(said, "going on, "+finished+" change")) {
			t.Errorf("%q changes were finished: %s", finished, said)
		}
		if err := os.WriteFile(rest, make([]byte, 1<<20), 0o600); err == nil { // no room at all
			t.Fatal("the disk is not full")
		}
	}
	if err := syscall.Mount("tmpfs", mount, "tmpfs", syscall.MS_REMOUNT, "size=4m"); err != nil {
		t.Fatal(err)
	}
	if code, said := keep(t, args, data, dir); code != exitDone || !strings.Contains(said, "going on, ") {
		t.Fatalf("exit code %d: %s", code, said)
	}
	if code, said := keep(t, args, data, want); code != exitDone {
		t.Fatalf("exit code %d: %s", code, said)
	}
	if differ := readRun(t, dir).equal(readRun(t, want)); differ != "" {
		t.Error("not the files of a run with room: " + differ)
	}
}
