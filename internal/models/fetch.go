package models

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"strings"
)

// fetch downloads a file into the folder for incomplete files, and checks it.
func (p *pull) fetch(ctx context.Context, f remote) (File, error) {
	var got File
	fresh := false // the whole file came in one run of attempts
	before := p.done
	err := p.retry(ctx, true, func() (bool, error) {
		p.done = before
		had, err := p.attempt(ctx, f, &got)
		var wrong *sumError
		if errors.As(err, &wrong) && had > 0 && !fresh {
			// Most likely the part of an earlier pull is wrong.
			fresh, p.done = true, before
			_, err = p.attempt(ctx, f, &got)
		}
		return p.done-before > had+1<<16, err
	})
	if wrong := (*sumError)(nil); errors.As(err, &wrong) {
		err = permanent{fmt.Errorf("%s of %s: %w; run the same command again, and should it happen again, do not trust %s", f.Path, p.id.Name, err, p.base.Host)}
	}
	return got, err
}

// sumError is the error of content that differs from the hub's announcement.
type sumError struct{ what string }

func (e *sumError) Error() string { return e.what }

// attempt resumes a download of which had bytes are there, and checks the whole file. It
// removes wrong content.
func (p *pull) attempt(ctx context.Context, f remote, got *File) (had int64, err error) {
	out, err := p.root.OpenFile(p.part(f), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return 0, p.store.disk(err)
	}
	defer func() {
		if cerr := out.Close(); err == nil && cerr != nil {
			err = p.store.disk(cerr)
		}
		if wrong := (*sumError)(nil); errors.As(err, &wrong) {
			err = errors.Join(err, p.root.Remove(p.part(f)))
		}
	}()
	sums := newSums(f.Size) // too long a part gets a wrong sum, as any other that is wrong
	if had, err = io.Copy(sums, io.LimitReader(reader{ctx, out}, f.Size+1)); err != nil {
		return had, p.store.disk(err)
	}
	p.advance(had)
	if had < f.Size {
		if had, err = p.download(ctx, f, out, had, &sums); err != nil {
			return had, err
		}
	}
	if err := sums.check(f); err != nil {
		return had, err
	}
	// Before the rename that makes it a part of a model.
	if err := out.Sync(); err != nil {
		return had, p.store.disk(err)
	}
	*got = File{f.Path, f.Size, hex.EncodeToString(sums.sha256.Sum(nil))}
	return had, nil
}

func restart(out *os.File) error {
	_, err := out.Seek(0, io.SeekStart)
	return errors.Join(err, out.Truncate(0))
}

// download appends the bytes after the first had bytes. It returns how many of these it kept:
// none where the hub cannot resume a download.
func (p *pull) download(ctx context.Context, f remote, out *os.File, had int64, sums *sums) (int64, error) {
	header := make(http.Header)
	if had > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", had))
	}
	what := "fetching " + f.Path
	resp, err := p.do(ctx, http.MethodGet, p.resolveURL(p.id, f.Path), what, header,
		http.StatusOK, http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable)
	if err != nil {
		return had, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusPartialContent && strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", had)) && had > 0:
	case resp.StatusCode == http.StatusOK:
		if had > 0 {
			p.advance(-had)
			had, *sums = 0, newSums(f.Size)
			if err := restart(out); err != nil {
				return 0, p.store.disk(err)
			}
		}
	default:
		return had, &sumError{fmt.Sprintf("%s answers %s to a request for the bytes from %d on", p.base.Host, resp.Status, had)}
	}
	if resp.ContentLength >= 0 && resp.ContentLength != f.Size-had {
		return had, &sumError{fmt.Sprintf("%s sends %d bytes where %d are missing", p.base.Host, resp.ContentLength, f.Size-had)}
	}
	// One byte too many shows that the file is too long.
	n, err := io.Copy(io.MultiWriter(diskWriter{out, p}, sums, progress{p}), io.LimitReader(resp.Body, f.Size-had+1))
	var lost networkError
	switch {
	case errors.As(err, &lost):
		return had, networkError{fmt.Errorf("%s: the connection to %s broke after %d of %d bytes: %w", what, p.base.Host, had+n, f.Size, lost.error)}
	case err != nil:
		return had, err
	case had+n > f.Size:
		return had, &sumError{fmt.Sprintf("%s sends more than the %d bytes that it announced", p.base.Host, f.Size)}
	case had+n < f.Size:
		return had, networkError{fmt.Errorf("%s: %s sent %d of %d bytes", what, p.base.Host, had+n, f.Size)}
	}
	return had, nil
}

// advance reports n more bytes as progress.
func (p *pull) advance(n int64) {
	p.done += n
	p.opts.Progress(p.done, p.total)
}

type progress struct{ *pull }

func (w progress) Write(b []byte) (int, error) {
	w.advance(int64(len(b)))
	return len(b), nil
}

// diskWriter marks errors of the disk, to tell them from errors of the connection.
type diskWriter struct {
	f *os.File
	p *pull
}

func (w diskWriter) Write(b []byte) (int, error) {
	n, err := w.f.Write(b)
	if err != nil {
		err = w.p.store.disk(err)
	}
	return n, err
}

// sums computes both kinds of checksums that the hub announces.
type sums struct {
	sha256, git hash.Hash
}

func newSums(size int64) sums {
	s := sums{sha256.New(), sha1.New()}
	fmt.Fprintf(s.git, "blob %d\x00", size)
	return s
}

func (s sums) Write(b []byte) (int, error) {
	s.sha256.Write(b)
	s.git.Write(b)
	return len(b), nil
}

func (s sums) check(f remote) error {
	h, kind := s.sha256, "SHA-256"
	if len(f.Sum) == 2*sha1.Size {
		h, kind = s.git, "git's SHA-1"
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != f.Sum {
		return &sumError{fmt.Sprintf("the checksum is wrong (%s is %s, announced was %s)", kind, sum, f.Sum)}
	}
	return nil
}
